# SPDX-License-Identifier: Apache-2.0
"""Operands: encode the issued slot for the MAC array."""

from amaranth import Cat, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.core.step import HostRead, Kind, Step, ToIssue
from xymac.hdl.isa import BANKS, Op, Reduce, reduce_of
from xymac.hdl.limits import check_ways

from .seat import IssueConfig
from .slide import Slid

__all__ = ["Operands"]


class Operands(wiring.Component):
    """Register the slot: a step, a record row, a record to send on, a host read, or none.

    A gather derives both operand addresses from the X address and the lane. Latency 1 cycle,
    throughput 1 step a cycle, no backpressure.

    Parameters
    ----------
    ways : int, MACs per lane: 1, 2 or 4; TypeError unless an int, ValueError otherwise

    Members
    -------
    config : In(IssueConfig), the current pass; entry : In(entry number), its save entry
    x, y : In(17), tap addresses; gathers : In(1), the pass is a gather; lane : In(range(lanes)),
        see ``Gather``
    slid : In(Slid), slides : In(1), the pass is a slide
    last : In(1), the step ends its sum; anew : In(1), it is the first step of its pass
    step : In(1), a step is issued; asked : In(1), ``host`` is issued; prepare : In(1), an output
        waits or reads records
    read, send, sent : In(1), row : In(12), see ``Seat``
    host : In(HostRead)
    o : Out(Step), all fields except ``held``
    """

    def __init__(self, *, ways):
        self._ways = check_ways(ways)
        super().__init__({
            "config": In(IssueConfig), "entry": In(Step["entry"].shape), "x": In(17), "y": In(17),
            "gathers": In(1), "lane": In(range(BANKS * ways)), "slid": In(Slid), "slides": In(1),
            "last": In(1), "anew": In(1), "step": In(1), "asked": In(1), "prepare": In(1),
            "read": In(1), "send": In(1), "sent": In(1), "row": In(ToIssue["bias_row"].shape),
            "host": In(HostRead), "o": Out(Step)})

    def elaborate(self, platform):
        m = Module()
        o, config, slid = self.o, self.config, self.slid
        bits = exact_log2(self._ways)
        m.d.sync += [
            o.kind.eq(Kind.NONE), o.x.eq(Mux(self.gathers, self.x >> bits, self.x)),
            o.y.eq(Mux(self.gathers, Cat(self.x[:bits], self.lane,
                                         self.y[bits + len(self.lane):]), self.y)),
            o.x_lanes.eq(config.x_shape), o.y_lanes.eq(config.y_shape),
            o.x_crossed.eq(config.op == Op.CROSS),
            o.x_wide.eq(config.x_width), o.y_wide.eq(config.y_width),
            o.first.eq(slid.begin), o.slides.eq(self.slides), o.ways.eq(slid.ways),
            o.place.eq(slid.place), o.rows.eq(slid.rows), o.last.eq(self.last),
            o.resume.eq(config.resume), o.entry.eq(self.entry),
            o.op.eq(Mux(config.op.as_value()[2:].any(), Op.MAC, config.op)),
            o.ranges.eq(reduce_of(config) == Reduce.RANGE), o.anew.eq(self.anew & config.fresh),
            o.biased.eq(config.bias), o.lane.eq(self.host.lane), o.x_zero.eq(config.x_zero)]
        with m.If(self.asked):
            m.d.sync += [o.kind.eq(Mux(self.host.y, Kind.HOST_Y, Kind.HOST_X)),
                         o.x.eq(self.host.address), o.y.eq(self.host.address),
                         o.x_lanes.eq(0), o.x_crossed.eq(0), o.y_lanes.eq(1),
                         o.x_wide.eq(1), o.y_wide.eq(1), o.x_zero.eq(0)]
        with m.Elif(self.prepare):
            m.d.sync += [o.kind.eq(Mux(self.send, Mux(self.sent, Kind.ADDEND, Kind.SCALE),
                                       Mux(self.read, Kind.BIAS, Kind.NONE))),
                         o.y.eq(self.row), o.y_lanes.eq(0), o.y_wide.eq(1),
                         o.first.eq(1), o.last.eq(1), o.op.eq(Op.MAC)]
        with m.Elif(self.step):
            m.d.sync += o.kind.eq(Kind.STEP)
        return m
