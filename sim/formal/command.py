# SPDX-License-Identifier: Apache-2.0
"""Prove all properties, and show a failure of each with a planted fault."""

import argparse
import json
import shlex
from dataclasses import asdict
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from xymac.host.cli.command import processes
from xymac.host.cluster import Workers
from xymac.host.errors import InputError
from xymac.host.files import write_file
from xymac.sim.signoff.evidence import digest_places, save
from xymac.sim.signoff.places import PLACES

from . import streams
from .catalogue import PROPERTIES
from .solve import prove

__all__ = ["PROPERTIES", "main"]

_EXAMPLES = """examples:
  python -m xymac.sim.formal
  python -m xymac.sim.formal --match round -o proofs.json
  python -m xymac.sim.formal --streams"""


def main(arguments):
    """Prove the properties selected by the command line; returns the exit code."""
    options  = _parser().parse_args(arguments)
    console  = Console(highlight=False, emoji=False)
    if options.streams:
        console.print(streams.table())
        return 0
    selected = [name for name in PROPERTIES if options.match in name]
    if not selected:
        console.print(f"No property has {options.match!r} in its name", markup=False)
        return 2
    began, places = perf_counter(), digest_places(PLACES["formal"])
    try:
        proofs = _prove_all(selected, options.jobs, console)
        _show(proofs, console)
        if options.output:
            write_file(options.output, json.dumps(
                [asdict(proof) | {"passed": proof.passed} for proof in proofs], indent=1) + "\n")
        if len(selected) == len(PROPERTIES):
            _save(proofs, arguments, perf_counter() - began, places)
    except KeyboardInterrupt:
        console.print("formal: interrupted", markup=False)
        return 130
    except InputError as error:
        console.print(f"formal: {error}", markup=False)
        return 2
    return int(not all(proof.passed for proof in proofs))


def _parser():
    parser = argparse.ArgumentParser(
        "python -m xymac.sim.formal", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--match", metavar="TEXT", default="",
                        help="only properties whose name contains the text")
    parser.add_argument("--jobs", metavar="N", type=processes, default=2,
                        help="properties at a time (default: 2)")
    parser.add_argument("-o", dest="output", metavar="FILE", type=Path,
                        help="write the proofs as JSON, too")
    parser.add_argument("--streams", action="store_true",
                        help="list the components with a stream, and their properties")
    return parser


def _save(proofs, arguments, seconds, places):
    """Save the evidence from a run over all properties."""
    save(
        "formal", shlex.join(["python", "-m", "xymac.sim.formal", *arguments]), {
            "properties": len(proofs), "proved": sum(proof.passed for proof in proofs),
            "for ever": sum(proof.bound == "ever" for proof in proofs),
            "planted faults": sum(proof.faults for proof in proofs),
            "faults seen": sum(proof.faults - len(proof.survivors) for proof in proofs),
            "seconds": round(seconds)},
        survivors=[{"property": proof.name, "reason": text}
                   for proof in proofs for text in proof.survivors], places=places)


def _outcome(name):
    """Prove a property, in its own process."""
    return prove(PROPERTIES[name])


def _prove_all(names, jobs, console):
    """Proofs in name order, with progress."""
    proofs = {}
    with Workers(jobs, "A process that proved a property") as workers:
        for name, proof in workers.run(_outcome, names):
            proofs[name] = proof
            console.print(f"{len(proofs)} of {len(names)}: {name}, {proof.seconds:.1f} s",
                          markup=False)
    return [proofs[name] for name in names]


def _show(proofs, console):
    """Show a table with the proofs, and the verdict."""
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
