# SPDX-License-Identifier: Apache-2.0
"""Proofs as killers: a property over the mutant's hardware must fail.

``python -m xymac.sim.mutants.hardware.formal_stage REQUEST`` runs in a process of its own, because
its hardware sources are rewritten; see ``processes``.
"""

import json
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from amaranth.back import rtlil

from .imports import install, mutated
from .points import Points
from .processes import ask, teller

__all__ = ["benches", "main", "run_formal"]


def run_formal(mutants, store, console):
    """Try Mutants on ``xymac.sim.formal`` properties over their hardware."""
    by_name = {mutant.name: mutant for mutant in mutants}

    def hear(message):
        if "mutant" not in message:
            return
        store.add(by_name[message["mutant"]], "formal", message["killer"], message["how"],
                  message["seconds"])
        outcome = f"killed by {message['killer']}" if message["killer"] else message["how"]
        console.print(f"formal: {message['mutant']}: {outcome}", markup=False)

    ask("formal_stage", {"mutants": [(mutant.name, mutant.site, mutant.variant)
                                     for mutant in mutants]}, hear)


def benches(properties):
    """Yield (Property, function that makes its Bench for the first case); a Theorem has no
    hardware.
    """
    from xymac.sim.formal.property import Property

    for property_ in properties:
        if isinstance(property_, Property):
            yield property_, partial(property_.bench, *property_.cases[:1])


def _kill(points, properties, pair):
    """(Failing property name or None, number of properties with the mutant)."""
    from xymac.sim.formal.solve import _check, _translate

    having = 0
    for property_, make in benches(properties):
        points.active.clear()
        bench = make()
        rtlil.convert(bench, ports=bench.ports)
        if pair not in points.active:
            continue
        having += 1
        with TemporaryDirectory() as folder:
            if not _check(_translate(property_, Path(folder)), property_):
                return property_.name, having
    return None, having


def main(path):
    """Answer a request; returns the exit code."""
    request, tell = json.loads(Path(path).read_text()), teller()
    points = Points(only=(0, 1))
    install(points)
    from xymac.sim.formal.command import PROPERTIES

    with mutated(points):
        for name, site, variant in request["mutants"]:
            began = time.perf_counter()
            points.only = site, variant
            killer, having = _kill(points, PROPERTIES.values(), points.only)
            tell(mutant=name, killer=killer, how=f"{having} properties have its hardware",
                 seconds=round(time.perf_counter() - began, 2))
    tell(ended=0)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
