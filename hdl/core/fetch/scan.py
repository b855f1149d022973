"""Scan: the windows of a pass one after another, where they end and which rows they take."""

from amaranth import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay, pick, times
from hdl.carry import SelectAdd
from hdl.isa import BANKS, AguMode, Encoded, Memory, Op, Scale, Shape, bias_rows
from hdl.limits import check_rows, check_vendor, check_ways

__all__ = ["Rows", "Scan"]

_ADDRESS  = 18  # bits of the ends of a window
_LAST     = Encoded["x"].shape["last"].shape.width
_ROW      = unsigned(12)  # of X or Y
_LAST_ROW = (1 << 12) - 1
#: Rows that a pass reads or writes. ``here`` says of Z that they are those of Y, of a bias that
#: there is one.
Rows = data.StructLayout({"low": _ROW, "high": _ROW, "here": 1})
_HIGH     = Encoded["x"].shape["agu"].shape["high"].shape.width
_TURNS    = {"x": 0, "y": 1, "z": 2, "bias": 3}
#: A window that takes its turn, in which memory it is, and the unit of its addresses.
_Window = data.StructLayout({
    "low": 16, "high": _HIGH, "end": _ADDRESS + 3, "order": 5, "reversed": 1, "y": 1, "here": 1,
    "bias": 1, "groups": 1, "ways": 1, "narrow": 1})


class Scan(wiring.Component):
    """Find the rows of the windows of a pass, of X, Y, Z and the bias in turn, and judge them.

    Bad is a window that ends beyond its memory, whose ``last`` leads behind it, or, of a
    bit-reversed access, whose ``order`` is not its own or that has more than one beat. Only a bias
    can begin or end beyond the memory, and is cut off there. Latency from ``begin`` to the rows of
    X ``LATENCY`` cycles, to those of Y and Z 1 and 2 more, to those of the bias 4 more; to ``bad``
    ``LATENCY + 2`` cycles. Throughput a pass in 5 cycles, no backpressure.

    Parameters
    ----------
    ways : int, products a lane forms a cycle: 1, 2 or 4
    x_rows, y_rows : int, rows of X and of Y memory, 2 .. 4096
    vendor : None or "ecp5", see ``carry.SelectAdd``

    TypeError for what is no int, ValueError outside.

    Members
    -------
    pass_ : In(Encoded), whole in two cycles; from ``begin`` on the window of X, a cycle later all
        of X and the window of Y
    begin : In(1)
    rows : Out(Rows), turn : Out(4), a bit for each of the windows, whose rows they are
    bad : Out(3), windows of X, Y and Z, in one cycle
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
        late = [self.begin]  # by so many cycles
        for cycle in range(1, 7):
            late.append(delay(m, late[-1], 1, name=f"begin{cycle}"))
        # A bias waits for a cycle, until it is known how long it is.
        turn   = delay(m, Cat(late[0] | late[3], late[1] | late[3]), 1, name="turn")
        window = Signal(_Window, reset_less=True)
        self._choose(m, window, turn)
        behind = self._behind(m, window.high, turn == _TURNS["y"], late[2])

        first, last = (self._row(value, window) for value in (window.low, window.end))
        beyond = Mux(window.y, last >= self._y_rows, last >= self._x_rows)
        wrong  = delay(m, beyond | (window.reversed & self._other(window)), 1, name="wrong")
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
        """The window whose turn it is, a cycle later."""
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
        """Row of an address in groups of lanes, of as many as there are ways, of bytes."""
        address = Mux(window.groups, address >> exact_log2(BANKS), address)
        return Mux(window.ways, address >> exact_log2(self._ways), address) >> window.narrow

    def _other(self, window):
        """Whether a window is not as long as its ``order`` says, which has so many low ones."""
        low, high = window.order[:3], window.order[3:]
        below = Cat(place < low for place in range(8))
        return Cat(bit != ((place // 8 < high) | ((place // 8 == high) & below[place % 8]))
                   for place, bit in enumerate(window.high)).any()

    def _behind(self, m, high, is_x, x_late):
        """Whether ``last`` leads behind the window, of X in the third cycle, of Y in the fourth.

        That of X is of its first beat. The way to the end is compared with the beats behind it.
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
        """Rows of the bias and the parameters behind it less 1; two cycles later."""
        pass_, rows = self.pass_, bias_rows(self._ways)
        scaled, added, once = pass_.scale != Scale.NONE, pass_.addend, pass_.once
        # A bias and up to two records of parameters for each outermost index, or a bias for each
        # and the records once.
        some = pass_.outer[0]
        more = Mux(scaled & added & ~once, some << 1, Mux((scaled ^ added) & ~once, some, 0))
        less = Mux(scaled & added & once, 2 * rows - 1, Mux((scaled ^ added) & once, rows - 1, -1))
        records = delay(m, some + more, 1, name="records")
        return delay(m, (times(records, rows) + less)[:_ADDRESS + 2], 1, name="count")
