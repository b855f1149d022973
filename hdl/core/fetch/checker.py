"""Check a fetched pass: operation, counts, shift, windows."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import delay
from hdl.isa import (
    BANKS,
    SHIFT_MAX,
    SHIFT_MIN,
    TABLE_ENTRIES,
    Count,
    Encoded,
    Op,
    Place,
    Reduce,
    Shape,
    Status,
    Table,
    reduce_of,
    table_of,
)
from hdl.limits import check_between, check_ways

from .scan import Rows, Scan

__all__ = ["Checker"]


class Checker(wiring.Component):
    """Judge a pass by what can be known before it runs.

    The first offence in the order operation, counts, shift, table, windows is named; of a gather
    the window of Y must be one whole table, of a cross that of X whole rows of banks; only a MAC of
    1 beat ranks or pops, only X by lanes of 4 beats has a range. The fields that ``pack`` derives
    from a window must be its own, as ``Scan`` judges them, so that no word leads outside. Latency
    ``LATENCY`` cycles from the last line, for which ``pass_`` must stand, ``place`` from a cycle
    later on: throughput one pass in so many, no backpressure.

    Parameters
    ----------
    ways : int, products a lane forms a cycle: 1, 2 or 4
    x_rows, y_rows : int, rows of X and of Y memory, 2 .. 4096
    functions : int, word of ``Register.FUNCTIONS``
    vendor : None or "ecp5", see ``Scan``

    TypeError for what is no int, ValueError outside.

    Members
    -------
    pass_ : In(Encoded); place : In(Place), of its table
    begin : In(1), two cycles before the last line of the pass
    status : Out(Status), field : Out(4)
    rows : Out(Rows), turn : Out(4), of its windows, as ``Scan`` has them
    """

    LATENCY = 3
    AHEAD   = 2  #: Cycles of ``begin`` before the last line.

    pass_:  In(Encoded)
    place:  In(Place)
    begin:  In(1)
    status: Out(Status)
    field:  Out(4)
    rows:   Out(Rows)
    turn:   Out(4)

    def __init__(self, *, ways, x_rows, y_rows, functions, vendor=None):
        self._functions = check_between("Functions", functions, 0, (1 << 32) - 1)
        self._ways = check_ways(ways)
        self._scan = Scan(ways=ways, x_rows=x_rows, y_rows=y_rows, vendor=vendor)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        pass_  = self.pass_
        ranges = reduce_of(pass_) == Reduce.RANGE
        m.submodules.scan = scan = self._scan
        m.d.comb += [scan.pass_.eq(pass_), scan.begin.eq(self.begin), self.rows.eq(scan.rows),
                     self.turn.eq(scan.turn)]
        bad    = scan.bad | self._ragged(m)
        zero   = self._counts(m, ranges)
        looks, ends = Signal(name="looks"), Signal(name="ends")
        m.d.sync += [looks.eq(table_of(pass_) != Table.NONE),
                     ends.eq((self.place.last < Cat(0, self.place.half))
                             | (self.place.last == TABLE_ENTRIES - 1))]
        unknown, shift = Signal(name="unknown"), Signal(name="shift")
        m.d.sync += [unknown.eq(self._unknown(ranges)),
                     shift.eq((pass_.shift < SHIFT_MIN) | (pass_.shift > SHIFT_MAX))]

        # Stage 3: the first offence; later assignments win, so the list runs backwards.
        offences = [(unknown, Status.OPCODE, 0),
                    *((zero[n], Status.COUNT, n) for n in range(len(zero))),
                    (shift, Status.SHIFT, 0), (looks & ends, Status.TABLE, table_of(pass_)),
                    *((bad[n], Status.WINDOW, Count.X.value + n) for n in range(3))]
        m.d.sync += [self.status.eq(Status.OK), self.field.eq(0)]
        for offence, status, field in reversed(offences):
            with m.If(offence):
                m.d.sync += [self.status.eq(status), self.field.eq(field)]
        return m

    def _ragged(self, m):
        """Whether the windows of X and Y are not as the operation needs them."""
        pass_, x, y = self.pass_, self.pass_.x.agu, self.pass_.y.agu
        table  = self._ways * BANKS * self._ways  # addresses of Y of a gather
        ragged = ((pass_.op == Op.CROSS)
                  & ((x.low % BANKS != 0) | (x.high % BANKS != BANKS - 1)))
        parted = (pass_.op == Op.GATHER) & ((y.low % table != 0) | (y.high != table - 1))
        return delay(m, Cat(ragged, parted), 1, name="ragged")

    def _counts(self, m, ranges):
        """Which counts are 0, and whether the beats are not as the pass needs them."""
        pass_  = self.pass_
        counts = [*(pass_.outer[n] == 0 for n in range(3)), *(pass_.taps[n] == 0 for n in range(3)),
                  (pass_.beats == 0) | (pass_.beats > BANKS)
                  | (pass_.hold & (pass_.beats != BANKS))
                  | (pass_.ranks & (pass_.beats != Mux(ranges, BANKS, 1)))]
        zero = Signal(len(counts))
        m.d.sync += [bit.eq(count) for bit, count in zip(zero, counts, strict=True)]
        return zero

    def _unknown(self, ranges):
        """Whether the core lacks the operation or the reduction, or they exclude each other."""
        pass_    = self.pass_
        known    = Const(self._functions, 32)
        slides   = pass_.op == Op.SLIDE
        excluded = pass_.ranks & Mux(ranges, pass_.x_shape != Shape.LANES, pass_.op != Op.MAC)
        no_slide = slides & ((pass_.x_shape != Shape.LANES) | (pass_.y_shape != Shape.VECTOR)
                             | (ranges & pass_.ranks) | pass_.hold | pass_.resume
                             | (pass_.floor != 0))
        return (~known[:16].bit_select(pass_.op, 1) | excluded | no_slide
                | ~known[16:24].bit_select(reduce_of(pass_), 1))
