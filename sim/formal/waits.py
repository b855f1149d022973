# SPDX-License-Identifier: Apache-2.0
"""Stream property: a waiting value stays, and stays the same."""

from amaranth import Signal, Value
from amaranth.hdl import Cover
from amaranth.lib.wiring import In

from xymac.hdl.compact.hostport import PagePort
from xymac.hdl.core.reduction.census import ItemQueue
from xymac.hdl.dma.walk import Rows
from xymac.hdl.link.cobs import CobsDecoder
from xymac.hdl.link.words import WordMover

from .follow import hold_payload, offer_payload
from .property import Bench, Fault, Method, Property, steady

__all__ = ["PROPERTIES", "UNITS"]

#: Component: its parameters, its output streams, its input streams whose senders wait, inputs that
#: are 0 (no flush), constant inputs, inputs that are 1 in the first cycle alone; the domain of the
#: first output's ``valid``.
UNITS = {
    CobsDecoder: ({}, ("o",), ("i",), (), (), (), "sync"),
    Rows: ({"width": 32}, ("o",), (), (), ("move",), ("start",), "sync"),
    WordMover: ({}, ("request",), (), (), ("head",), (), "comb"),
    ItemQueue: ({}, ("o",), (), ("flush",), (), (), "sync"),
    PagePort: ({"x_cells": 8, "y_cells": 8, "passes": 2}, ("response",), ("request",), (), (), (),
               "comb")}


_STEPS = 64  # cycles to covers and faults


def _waits(kind):
    """A component with any inputs."""
    options, outs, ins, zeros, fixed, once, _ = UNITS[kind]
    unit = kind(**options)
    held = {name: Signal(len(Value.cast(getattr(unit, name))), name=f"free_{name}")
            for name in fixed}
    free = [*held.values(), *(
        value for path, member, value in unit.signature.flatten(unit)
        if member.flow is In and path[0] not in (*zeros, *once, *fixed))]

    def build(m):
        m.submodules.unit = unit
        started = Signal(name="started")
        m.d.sync += started.eq(1)
        for name in ins:
            offer_payload(m, getattr(unit, name))
        for name, given in held.items():
            m.d.comb += Value.cast(getattr(unit, name)).eq(steady(m, given)[0])
        for name in once:
            m.d.comb += getattr(unit, name).eq(~started)
        for name in zeros:
            m.d.comb += Value.cast(getattr(unit, name)).eq(0)
        for name in outs:
            port = getattr(unit, name)
            hold_payload(m, port)
            waited = Signal(name=f"{name}_waited")
            m.d.sync += waited.eq(port.valid & ~port.ready)
            m.d.comb += Cover(waited & port.ready)
    return Bench(free, build)


def _impatient(kind):
    """Fault: a component withdraws a value every other cycle."""
    port, domain = UNITS[kind][1][0], UNITS[kind][-1]

    def change(original):
        def elaborate(self, platform):
            m, odd = original(self, platform), Signal(name="odd")
            m.d.sync += odd.eq(~odd)
            with m.If(odd):
                m.d[domain] += getattr(self, port).valid.eq(0)
            return m
        return elaborate
    return change


PROPERTIES = tuple(
    Property(f"stream: {kind.__name__}", "A value that waits at an output stays, and stays the "
             f"same: {' and '.join(unit[1])} of {kind.__name__}", lambda kind=kind: _waits(kind),
             _STEPS, (Fault("a value is withdrawn", kind, "elaborate", _impatient(kind)),),
             Method.PDR)
    for kind, unit in UNITS.items())
