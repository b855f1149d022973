"""What the border of a tensor leaves of the taps of an output, along one axis."""

from amaranth import Module, Mux, Signal, signed, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.isa import ADDRESS_BITS, Encoded

__all__ = ["Border"]

_RELATIVE = signed(ADDRESS_BITS)


class Border(wiring.Component):
    """One axis of the window: valid taps and the address distance to the first of them.

    ``reset`` goes back to the first output, ``step`` to the next, two cycles after either at the
    earliest. ``taps`` and ``skip_*`` are right two cycles after either. Latency 2 cycles,
    throughput one step in 2 cycles, no backpressure. Takes no parameters.

    Members
    -------
    axis : In(``rows`` of Encoded), count : In(16), taps of the kernel along the axis
    x, y : In(``x.rows`` of Encoded), how the operands go along the axis
    reset, step : In(1)
    taps : Out(16), valid ones; empty : Out(1), there are none; cut : Out(1), the last is not valid
    skip_x, skip_y : Out(signed), distance of the first valid tap
    """

    def __init__(self):
        super().__init__({
            "axis": In(Encoded["rows"].shape), "count": In(unsigned(16)),
            "x": In(Encoded["x"].shape["rows"].shape), "y": In(Encoded["x"].shape["rows"].shape),
            "reset": In(1), "step": In(1),
            "taps": Out(unsigned(16)), "empty": Out(1), "cut": Out(1),
            "skip_x": Out(_RELATIVE), "skip_y": Out(_RELATIVE)})

    def elaborate(self, platform):
        m = Module()
        width = signed(33)  # 65535 steps of 65535 fit: no wrap can hide an empty window
        origin = Signal(width)   # input row of tap 0
        moved  = Signal(width)
        room   = Signal(width)   # taps from the first valid one to the input's end
        whole  = Signal(signed(18))  # taps from the first valid one to the kernel's end
        m.d.sync += moved.eq(origin + self.axis.step)
        with m.If(self.reset):
            m.d.sync += origin.eq(-self.axis.pad)
        with m.Elif(self.step):
            m.d.sync += origin.eq(moved)
        for skip, clip in ((self.skip_x, self.x), (self.skip_y, self.y)):
            less = Signal(_RELATIVE)
            m.d.sync += less.eq(skip - clip.step)
            with m.If(self.reset):
                m.d.sync += skip.eq(clip.start)
            with m.Elif(self.step):
                m.d.sync += skip.eq(Mux(moved < 0, less, 0))
        m.d.sync += [
            room.eq(Mux(origin < 0, self.axis.size, self.axis.size - origin)),
            whole.eq(Mux(origin < 0, self.count + origin[:18].as_signed(), self.count)),
        ]
        fewer = Signal()
        m.d.comb += [
            fewer.eq(room < whole), self.cut.eq(fewer),
            self.taps.eq(Mux(fewer, room, whole)),
            self.empty.eq((room <= 0) | (whole <= 0)),
        ]
        return m
