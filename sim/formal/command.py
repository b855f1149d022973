# SPDX-License-Identifier: Apache-2.0
"""Prove all properties, and show that each can fail."""

import argparse

from rich.console import Console
from rich.table import Table

from xymac.host.cli.command import positive
from xymac.host.cluster import Workers
from xymac.host.errors import InputError

from . import arithmetic, buses, outputs, queues, windows
from .solve import prove

__all__ = ["PROPERTIES", "main"]

#: Every property by name.
PROPERTIES = {property_.name: property_ for part in (arithmetic, outputs, queues, buses, windows)
              for property_ in part.PROPERTIES}


def main(arguments):
    """Prove the properties that the command line selects; returns the exit code."""
    parser = argparse.ArgumentParser(
        "python -m xymac.sim.formal", description=__doc__,
        epilog="example: python -m xymac.sim.formal --match round")
    parser.add_argument("--match", metavar="TEXT", default="",
                        help="only properties whose name contains the text")
    parser.add_argument("--jobs", metavar="N", type=positive, default=2,
                        help="properties at a time (default: 2)")
    options  = parser.parse_args(arguments)
    selected = [name for name in PROPERTIES if options.match in name]
    console  = Console(highlight=False)
    if not selected:
        console.print(f"No property has {options.match!r} in its name", markup=False)
        return 2
    try:
        proofs = _prove_all(selected, options.jobs, console)
    except KeyboardInterrupt:
        console.print("formal: interrupted", markup=False)
        return 130
    except InputError as error:
        console.print(f"formal: {error}", markup=False)
        return 2
    _show(proofs, console)
    return int(not all(proof.passed for proof in proofs))


def _outcome(name):
    """Proof of a property, in a process of its own."""
    return prove(PROPERTIES[name])


def _prove_all(names, jobs, console):
    """Proofs in the order of the names, with progress."""
    proofs = {}
    with Workers(jobs, "A process that proved a property") as workers:
        for name, proof in workers.run(_outcome, names):
            proofs[name] = proof
            console.print(f"{len(proofs)} of {len(names)}: {name}, {proof.seconds:.1f} s",
                          markup=False)
    return [proofs[name] for name in names]


def _show(proofs, console):
    """A table of the proofs, and the verdict."""
    table = Table("property", "holds for", "proved", "not empty", "faults seen", "seconds")
    for proof in proofs:
        seen = proof.faults - len(proof.survivors)
        table.add_row(proof.name, proof.bound, _said(proof.holds), _said(proof.reached),
                      f"{seen} of {proof.faults}", f"{proof.seconds:.1f}")
    console.print(table)
    wrong = [proof for proof in proofs if not proof.passed]
    for proof in wrong:
        for text in proof.survivors:
            console.print(f"{proof.name} does not see: {text}", markup=False)
    console.print(f"{len(proofs) - len(wrong)} of {len(proofs)} properties proved", markup=False)


def _said(value):
    return "yes" if value else "NO"
