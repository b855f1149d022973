# SPDX-License-Identifier: Apache-2.0
"""Write the documents' tables, values and drawings again: ``python -m docs.tables``."""

import argparse
import sys
from pathlib import Path

from .contents import TABLES
from .documents import read_tables, replace_table, replace_values
from .figures import FIGURES, replace_figure
from .table import Cost
from .values import read_sources

__all__ = ["main"]


def _chosen(options):
    """Names of the tables to make, in order."""
    if options.figures:
        return []
    if options.names:
        return [name for name in TABLES if name in options.names]
    costs = {Cost.QUICK}
    if not options.quick:
        costs |= {Cost.SIMULATED} | ({Cost.VENDOR} if options.workloads else set())
    return [name for name, table in TABLES.items() if table.cost in costs]


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m docs.tables",
        description="Write the tables of README.md and docs again, and the drawings of tables.")
    parser.add_argument("names", metavar="NAME", nargs="*",
                        help="tables to make (default: all but those that take hours)")
    parser.add_argument("--quick", action="store_true", help="only what needs no simulated core")
    parser.add_argument("--figures", action="store_true", help="only the drawings, from the tables")
    parser.add_argument("--workloads", metavar="DIR", type=Path,
                        help="folder of the vendor's example networks, for the tables of these")
    return parser


def main(arguments=None):
    """Make tables, write the changed tables and drawings; returns the exit code."""
    parser  = _parser()
    options = parser.parse_args(arguments)
    unknown = {*options.names} - {*TABLES}
    if unknown:
        parser.error(f"there is no table {', '.join(sorted(unknown))}, only {', '.join(TABLES)}")
    if options.figures and (options.names or options.quick or options.workloads):
        parser.error("--figures makes no tables, so it takes no other arguments")
    missing = {*TABLES} ^ {*read_tables()}
    if missing:
        parser.error(f"in the documents and in docs/tables/contents.py differ: "
                     f"{', '.join(sorted(missing))}")
    for name in _chosen(options):
        table = TABLES[name]
        if table.cost is Cost.VENDOR and options.workloads is None:
            parser.error(f"table {name} needs --workloads")
        extra   = [options.workloads / "mli_examples"] if table.cost is Cost.VENDOR else []
        changed = replace_table(name, table.make(*extra))
        _report(name, changed)
    if not options.figures:
        _report("values", replace_values(read_sources()))
    for name in FIGURES:
        _report(f"{name}.svg", replace_figure(name))
    return 0


def _report(name, changed):
    sys.stdout.write(f"{name}: {'written' if changed else 'as it was'}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
