# SPDX-License-Identifier: Apache-2.0
"""A toy component in a package of its own, in a new folder, with known mutants and survivors."""

import sys
from contextlib import contextmanager

from amaranth import ClockDomain, Module
from amaranth.sim import Simulator

from xymac.sim.mutants.hardware.imports import install, mutated
from xymac.sim.mutants.hardware.points import Points

#: An accumulator that saturates at 12. The mutant ``12 <= wide`` shows for no input.
SOURCE = '''
from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Toy(wiring.Component):
    add: In(3)
    clear: In(1)
    o: Out(4)

    def elaborate(self, platform):
        m = Module()
        total = Signal(4, init=3)
        wide = self.o + self.add
        m.d.sync += total.eq(Mux(12 < wide, 12, wide))
        with m.If(self.clear & (self.add[0] | self.add[1])):
            m.d.sync += total.eq(0)
        m.d.comb += self.o.eq(total)
        return m
'''
STIMULI = [(add, clear) for clear in (0, 1, 0) for add in (0, 1, 2, 5, 7, 6, 3, 4, 2)]


@contextmanager
def package(folder, only=None):
    """Points of the toy's package, imported rewritten; the module."""
    (folder / "toyland").mkdir(exist_ok=True)
    (folder / "toyland" / "__init__.py").write_text("")
    (folder / "toyland" / "toy.py").write_text(SOURCE)
    points = Points(only=only)
    sys.path.insert(0, str(folder))
    install(points, "toyland", folder / "toyland")
    finder = sys.meta_path[0]
    try:
        with mutated(points):
            from toyland import toy  # only here
            yield points, toy
    finally:
        sys.meta_path.remove(finder)
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.split(".")[0] == "toyland"]:
            del sys.modules[name]


def outputs(component, points=None, pair=(0, 0)):
    """Outputs of a simulated toy for ``STIMULI``, with a mutant selected."""
    found = []
    m = Module()
    m.domains.sync = domain = ClockDomain()
    m.submodules.toy = component
    reset = domain.rst

    async def bench(context):
        if points is not None:
            context.set(points.site, pair[0])
            context.set(points.variant, pair[1])
        context.set(reset, 1)
        await context.tick()
        context.set(reset, 0)
        for add, clear in STIMULI:
            context.set(component.add, add)
            context.set(component.clear, clear)
            found.append(context.get(component.o))
            await context.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return found


def model():
    """Outputs of the toy by its description."""
    total, found = 3, []
    for add, clear in STIMULI:
        found.append(total)
        total = 0 if clear and add & 3 else min(12, total + add)
    return found
