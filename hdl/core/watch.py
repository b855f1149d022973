"""Watch over what the host writes while a program runs."""

from amaranth import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay, times
from hdl.config import SLOTS
from hdl.isa import BANKS, Encoded, Memory, Op, Scale, Shape, bias_rows
from hdl.limits import check_ways

__all__ = ["Watch"]

_ROW      = unsigned(12)  # of X or Y
_LAST_ROW = (1 << 12) - 1
#: Rows of one memory that a pass reads or writes.
_Window   = data.StructLayout({"low": _ROW, "high": _ROW, "y": 1, "used": 1})


class Watch(wiring.Component):
    """Notice a host write that falls into a window of a pass that runs.

    Rows are compared, so a neighbour in the same row counts as a hit; a write to program memory,
    tables or places during a run is one too (``program``). Latency 5 cycles from a write to
    ``hit``, 2 from ``program``; throughput 1 write a cycle, no backpressure.

    Parameters
    ----------
    ways : int, products a lane forms a cycle: 1, 2 or 4; TypeError for what is no int, ValueError
        otherwise

    Members
    -------
    coming : In(Encoded), the pass that is loaded; loading : In(``SLOTS``), where: it is whole when
        that falls, and stands ``SETTLE`` cycles longer
    live : In(``SLOTS``), passes that run
    valid, y, row : In, a host write being taken; program : In(1), one to the program or a table of
        a run
    hit : Out(1)
    """

    SETTLE = 4

    def __init__(self, *, ways):
        self._ways = check_ways(ways)
        super().__init__({
            "coming": In(Encoded), "loading": In(SLOTS), "live": In(SLOTS),
            "valid": In(1), "y": In(1), "row": In(_ROW), "program": In(1),
            "hit": Out(1)})

    def elaborate(self, platform):
        m = Module()
        row, in_x, in_y = Signal(_ROW), Signal(), Signal()
        m.d.sync += [row.eq(self.row), in_x.eq(self.valid & ~self.y), in_y.eq(self.valid & self.y)]
        hits    = [delay(m, self.program, 1, name="program")]
        windows = self._windows(m)
        loading = delay(m, self.loading, self.SETTLE, name="loading")
        for index in range(SLOTS):
            # A copy for every slot, or the row would have too many ends.
            of_slot = {name: Signal.like(value, name=f"{name}{index}")
                       for name, value in (("row", row), ("in_x", in_x), ("in_y", in_y))}
            m.d.sync += [copy.eq(Mux(self.live[index], value, 0)) for copy, value
                         in zip(of_slot.values(), (row, in_x, in_y), strict=True)]
            for name, window in windows.items():
                kept = Signal(_Window, name=f"{name}{index}", reset_less=True)
                inside, judged = Signal(name=f"inside_{name}{index}"), Signal(3)
                with m.If(loading[index]):
                    m.d.sync += kept.eq(window)
                m.d.sync += [inside.eq(judged.all()),
                             judged.eq(Cat(kept.used & Mux(kept.y, of_slot["in_y"],
                                                           of_slot["in_x"]),
                                           of_slot["row"] >= kept.low,
                                           of_slot["row"] <= kept.high))]
                hits.append(inside)
        m.d.sync += self.hit.eq(Cat(*hits).any())
        return m

    def _windows(self, m):
        """The windows of the pass that comes, by name, ``SETTLE`` cycles later.

        Only a bias can begin or end beyond the memory.
        """
        pass_, ways = self.coming, exact_log2(self._ways)
        groups = exact_log2(BANKS)
        windows = {name: Signal(_Window, name=name) for name in ("x", "y", "z", "bias")}

        def settle(name, agu, wide, shift_zero, shift_one, choice, in_y):
            """Find the rows of the window of one access."""
            end, window = Signal(18), windows[name]
            m.d.sync += end.eq(agu.low + agu.high)
            narrow = ~wide.as_value()
            m.d.sync += [bound.eq(Mux(choice, value >> shift_one, value >> shift_zero) >> narrow)
                         for bound, value in ((window.low, agu.low), (window.high, end))]
            m.d.comb += [window.used.eq(1), window.y.eq(in_y)]

        z_y = pass_.z_memory == Memory.Y
        settle("x", pass_.x.agu, pass_.x_width, groups, groups + ways, pass_.op == Op.GATHER, 0)
        settle("y", pass_.y.agu, pass_.y_width, 0, ways, pass_.y_shape == Shape.LANES, 1)
        settle("z", pass_.z, pass_.z_width, groups, groups + ways, z_y, z_y)
        count, end, one, bias = Signal(20), Signal(20), Signal(18), windows["bias"]
        of_all = Mux(pass_.once, bias_rows(self._ways), one)
        more = [Mux(bit, of_all, 0) for bit in (pass_.scale != Scale.NONE, pass_.addend)]
        m.d.sync += [one.eq(times(pass_.outer[0], bias_rows(self._ways))),
                     count.eq(one + more[0] + more[1]), end.eq(pass_.bias_row + count - 1),
                     bias.high.eq(Mux(end > _LAST_ROW, _LAST_ROW, end))]
        m.d.comb += [bias.low.eq(pass_.bias_row), bias.y.eq(1),
                     bias.used.eq(pass_.bias & (pass_.bias_row <= _LAST_ROW))]
        return windows
