# SPDX-License-Identifier: Apache-2.0
"""``xymac check``: run a folder of reference vectors on a backend."""

import json
import re

from rich.table import Table

from xymac.hdl.config import find_size
from xymac.host.files import check_writable, write_file
from xymac.host.vectors.check import check_cases, open_evaluator
from xymac.host.vectors.files import read_cases, select_cases

from .command import Command, add_backend, add_json, add_markdown, device_options, positive
from .progress import show_progress

__all__ = ["COMMAND"]

_TYPES = ("fx8", "fx16", "fx8w16d", "fx16_fx8_fx8", "sa8", "sa8_sa8_sa32")
_KIND  = re.compile(rf"(.*?)(?:_({'|'.join(_TYPES)}))?")


def _add_arguments(parser):
    parser.add_argument("folder", metavar="DIR", help="folder with an index.json")
    add_backend(parser, "golden")
    parser.add_argument("--dialect", metavar="NAME", help="only cases of this dialect")
    parser.add_argument("--match", metavar="GLOB", default="*", help="only functions that match")
    parser.add_argument("--variant", metavar="NAME",
                        help="only this variant of the expected outputs (default: every one)")
    parser.add_argument("--limit", metavar="N", type=positive, help="at most N cases")
    add_markdown(parser, "the checks passed by kernel and type")
    add_json(parser)


def _markdown(report):
    """Markdown table lines: a row per kernel, a column per type, passed checks and check count."""
    checked = {}
    for row in report.functions:
        kernel, kind = _KIND.fullmatch(row.function).groups()
        checked.setdefault(kernel, {})[kind] = f"{row.passed} of {row.cases}"
    kinds = [kind for kind in (*_TYPES, None) if any(kind in cells for cells in checked.values())]
    yield f"| kernel | {' | '.join(kind or 'any type' for kind in kinds)} |"
    yield "|---" * (1 + len(kinds)) + "|"
    for kernel, cells in checked.items():
        yield f"| {kernel} | {' | '.join(cells.get(kind, '') for kind in kinds)} |"


def _table(report):
    table = Table("function", box=None)
    for column in ("cases", "mismatches", "refused", "skipped"):
        table.add_column(column, justify="right")
    for row in report.functions:
        counts = (row.cases, len(row.mismatches), row.refused, row.skipped)
        style = "red" if any(counts[1:]) else None
        table.add_row(row.function, *map(str, counts), style=style)
    return table


def _differences(report):
    """A line per mismatch, refusal or skip."""
    for row in report.functions:
        for mismatch in row.mismatches:
            where = "shape or type" if mismatch.index is None else f"element {mismatch.index}"
            yield (f"{mismatch.case} ({mismatch.variant}): {where} is {mismatch.actual}, expected "
                   f"{mismatch.expected}; config {json.dumps(mismatch.config)}")
        yield from row.reasons


def _execute(options, console):
    if options.json:
        check_writable(options.json)
    extra = device_options(options)
    cases = select_cases(read_cases(options.folder), dialect=options.dialect, match=options.match,
                         variant=options.variant, limit=options.limit)
    with (show_progress(console, f"{options.backend}, {options.size}", len(cases)) as advance,
          open_evaluator(options.backend, find_size(options.size), **extra) as evaluate):
        report = check_cases(cases, evaluate, variant=options.variant,
                             progress=lambda case: advance())
    if options.markdown:
        console.print("\n".join(_markdown(report)), markup=False, soft_wrap=True)
    else:
        console.print(_table(report))
    for line in _differences(report):
        console.print(line, markup=False, soft_wrap=True)
    if options.json:
        write_file(options.json, json.dumps(report.as_json(), indent=1) + "\n")
    console.print(report.summary)
    return report.exit_code


COMMAND = Command(
    __doc__,
    example="xymac check tests/vectors --dialect mli-1 --match 'mli_krn_*conv2d_*' --backend rtl",
    add_arguments=_add_arguments, execute=_execute)
