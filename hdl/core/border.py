"""What the border of a tensor leaves of the taps of an output, along one axis."""

from amaranth import Module, Mux, Signal, signed, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.isa import ADDRESS_BITS, Encoded

__all__ = ["Border"]

_RELATIVE = signed(ADDRESS_BITS)
_TAPS     = signed(18)  # 65535 less or more than another count of as many


class Border(wiring.Component):
    """One axis of the window: valid taps and the address distance to the first of them.

    ``reset`` goes back to the first output, ``step`` to the next, two cycles after either at the
    earliest. ``taps`` and ``skip_*`` are right two cycles after either. Latency 2 cycles,
    throughput one step in 2 cycles, no backpressure. Takes no parameters.

    ``before`` counts the taps in front of the input: ``pad - step * output``. With ``before > 0``
    the first valid tap is tap ``before``, and ``count - before`` taps or ``size`` are valid; else
    ``count`` or ``size + before``. From -65537 on no tap is left, and ``before`` stays: so it is
    at least -65536 - 65535, and 18 bits hold it.

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
        before, moved = (Signal(_TAPS, name=name) for name in ("before", "moved"))
        far = before[-1] & ~before[-2]
        m.d.sync += moved.eq(before - self.axis.step)
        # One enable and one choice a register: a choice of three takes twice the logic.
        with m.If(self.reset | (self.step & ~far)):
            m.d.sync += before.eq(Mux(self.reset, self.axis.pad, moved))
        for skip, clip, name in ((self.skip_x, self.x, "x"), (self.skip_y, self.y, "y")):
            less = Signal(_RELATIVE, name=f"less_{name}")
            m.d.sync += less.eq(skip - clip.step)
            with m.If(self.reset | self.step):
                m.d.sync += skip.eq(Mux(self.reset, clip.start,
                                        Mux((moved > 0) & ~far, less, 0)))
        # Taps to the end of the input, and to that of the kernel, from the first valid one.
        room, whole, inside = (Signal(_TAPS, name=name) for name in ("room", "whole", "inside"))
        m.d.comb += inside.eq(Mux(before[-1], before, 0))
        m.d.sync += [room.eq(self.axis.size + inside),
                     whole.eq(self.count - Mux(before[-1], 0, before))]
        fewer = Signal()
        taps  = Signal(_TAPS)
        m.d.comb += [
            fewer.eq((room - whole)[-1]), self.cut.eq(fewer), taps.eq(Mux(fewer, room, whole)),
            self.taps.eq(taps), self.empty.eq(taps <= 0)]
        return m
