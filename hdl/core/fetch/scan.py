# SPDX-License-Identifier: Apache-2.0
"""Scan: the rows and the validity of the windows of a pass, a window a cycle."""

from amaranth import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay, pick, times
from xymac.hdl.carry import SelectAdd
from xymac.hdl.isa import BANKS, AguMode, Encoded, Memory, Op, Scale, Shape, bias_rows
from xymac.hdl.limits import check_rows, check_vendor, check_ways

__all__ = ["Rows", "Scan"]

_ADDRESS  = 18  # bits of the ends of a window
_LAST     = Encoded["x"].shape["last"].shape.width
_ROW      = unsigned(12)  # of X or Y
_LAST_ROW = (1 << 12) - 1
#: Rows of a window. ``here``: for Z, the window is in Y memory; for the bias, the pass has a bias.
Rows = data.StructLayout({"low": _ROW, "high": _ROW, "here": 1})
_HIGH     = Encoded["x"].shape["agu"].shape["high"].shape.width
_TURNS    = {"x": 0, "y": 1, "z": 2, "bias": 3}
#: The current window: its limits, its memory, and its address unit.
_Window = data.StructLayout({
    "low": 16, "high": _HIGH, "end": _ADDRESS + 3, "order": 5, "reversed": 1, "y": 1, "here": 1,
    "bias": 1, "groups": 1, "ways": 1, "narrow": 1})


class Scan(wiring.Component):
    """Find the rows of the X, Y, Z and bias windows of a pass in turn, and check the windows.

    A window is bad if it ends beyond its memory, or if its ``last`` exceeds it. A bit-reversed
    window is also bad if its length does not match ``order``, or if X by lanes has more than 1
    beat. A bias window may exceed the row range; its rows are clipped. Latency ``LATENCY`` cycles
    from ``begin`` to the X rows; Y, Z and bias rows follow 1, 2 and 4 cycles later. ``bad`` takes
    ``LATENCY + 2`` cycles. Throughput 1 pass in 5 cycles, no backpressure.

    Parameters
    ----------
    ways : int, MACs per lane: 1, 2 or 4
    x_rows, y_rows : int, rows of X and of Y memory, 2 .. 4096
    vendor : None or "ecp5", see ``carry.SelectAdd``

    TypeError unless an int, ValueError outside the range.

    Members
    -------
    pass_ : In(Encoded); with ``begin`` the X window must be valid, a cycle later all X fields and
        the Y window, two cycles later the whole pass
    begin : In(1)
    rows : Out(Rows), the rows of a window; turn : Out(4), its number as a mask
    bad : Out(3), bad windows X, Y and Z, all in the same cycle
    """

    LATENCY = 2

    def __init__(self, *, ways, x_rows, y_rows, vendor=None):
        self._ways   = check_ways(ways)
        self._x_rows = check_rows("X", x_rows)
        self._y_rows = check_rows("Y", y_rows)
        self._vendor = check_vendor(vendor)
        super().__init__({"pass_": In(Encoded), "begin": In(1), "rows": Out(Rows),
                          "turn": Out(4), "bad": Out(3)})

    def elaborate(self, platform):
        m = Module()
        late = [self.begin]  # delayed by the index, in cycles
        for cycle in range(1, 7):
            late.append(delay(m, late[-1], 1, name=f"begin{cycle}"))
        # The bias is a cycle later, because its length takes a cycle longer.
        turn   = delay(m, Cat(late[0] | late[3], late[1] | late[3]), 1, name="turn")
        window = Signal(_Window, reset_less=True)
        self._choose(m, window, turn)
        behind = self._behind(m, window.high, turn == _TURNS["y"], late[2])

        first, last = (self._row(value, window) for value in (window.low, window.end))
        beyond = Mux(window.y, last >= self._y_rows, last >= self._x_rows)
        other  = window.reversed & self._other(window)
        wrong  = delay(m, beyond, 1, name="beyond") | delay(m, other, 1, name="other")
        before = delay(m, wrong, 1, name="before")
        pass_  = self.pass_
        ragged = ((pass_.x.agu.mode == AguMode.BIT_REVERSED) & (pass_.x_shape == Shape.LANES)
                  & (pass_.beats != 1))
        m.d.comb += [
            self.turn.eq(Cat(*late[self.LATENCY:self.LATENCY + 3], late[self.LATENCY + 4])),
            self.bad.eq(Cat(delay(m, before | behind | ragged, 1, name="bad"), before | behind,
                            wrong))]
        beyond_bias = window.bias & (window.end > _LAST_ROW)
        m.d.sync += [self.rows.low.eq(first), self.rows.here.eq(window.here),
                     self.rows.high.eq(Mux(beyond_bias, _LAST_ROW, last))]
        return m

    def _choose(self, m, window, turn):
        """Select the current window, a cycle later."""
        pass_    = self.pass_
        x, y, z  = pass_.x.agu, pass_.y.agu, pass_.z
        low      = pick([x.low, y.low, z.low, pass_.bias_row], turn)
        high     = pick([x.high, y.high, z.high, self._bias(m)], turn)
        is_y     = pass_.z_memory == Memory.Y
        is_bias  = pass_.bias & (pass_.bias_row <= _LAST_ROW)
        reverses = [agu.mode == AguMode.BIT_REVERSED for agu in (x, y, z)]
        narrow   = [~width.as_value() for width in (pass_.x_width, pass_.y_width, pass_.z_width)]
        m.d.sync += [
            window.low.eq(low), window.high.eq(high), window.end.eq(low + high),
            window.order.eq(pick([x.order, y.order, z.order, z.order], turn)),
            window.reversed.eq(pick([*reverses, 0], turn)),
            window.y.eq(pick([0, 1, is_y, 1], turn)),
            window.here.eq(Mux(turn[0], is_bias, is_y)), window.bias.eq(turn == _TURNS["bias"]),
            window.groups.eq(~turn[0]), window.narrow.eq(pick([*narrow, 0], turn)),
            window.ways.eq(pick([pass_.op == Op.GATHER, pass_.y_shape == Shape.LANES, is_y, 0],
                                turn))]

    def _row(self, address, window):
        """Row of an address: divide by banks, MACs and bytes as its unit needs."""
        address = Mux(window.groups, address >> exact_log2(BANKS), address)
        return Mux(window.ways, address >> exact_log2(self._ways), address) >> window.narrow

    def _other(self, window):
        """Whether the window length is not ``2**order``: ``high`` must be ``2**order - 1``."""
        low, high = window.order[:3], window.order[3:]
        below = Cat(place < low for place in range(8))
        return Cat(bit != ((place // 8 < high) | ((place // 8 == high) & below[place % 8]))
                   for place, bit in enumerate(window.high)).any()

    def _behind(self, m, high, is_x, x_late):
        """Whether ``last`` exceeds the window: for X in the third cycle, for Y in the fourth.

        ``last`` of X is the address of the first beat. So the distance to the window end is
        compared with the number of further beats.
        """
        pass_ = self.pass_
        width = _LAST + 1
        m.submodules.way = way = SelectAdd(width=width, vendor=self._vendor)
        far   = delay(m, way.o.as_signed(), 1, name="far")  # last - high - 1
        beats = Mux(x_late & (pass_.x_shape == Shape.LANES), pass_.beats - 1, 0)[:2]
        m.d.comb += [
            way.term.eq(~high | -(1 << len(high))), way.select.eq(is_x.replicate(width)),
            way.high.eq(pass_.x.last), way.low.eq(pass_.y.last)]
        near = far[2:].all() & (Cat(far[:2]) >= 4 - beats)  # -beats .. -1
        return delay(m, (far >= 0) | near, 1, name="behind")

    def _bias(self, m):
        """Rows of the bias and its other records, minus 1, two cycles later."""
        pass_, rows = self.pass_, bias_rows(self._ways)
        scaled, added, once = pass_.scale != Scale.NONE, pass_.addend, pass_.once
        # Each outermost index has a bias and up to two other records; with ``once`` these records
        # exist only once.
        some = pass_.outer[0]
        more = Mux(scaled & added & ~once, some << 1, Mux((scaled ^ added) & ~once, some, 0))
        less = Mux(scaled & added & once, 2 * rows - 1, Mux((scaled ^ added) & once, rows - 1, -1))
        records = delay(m, some + more, 1, name="records")
        return delay(m, (times(records, rows) + less)[:_ADDRESS + 2], 1, name="count")
