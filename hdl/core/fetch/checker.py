# SPDX-License-Identifier: Apache-2.0
"""Check a fetched pass: operation, counts, shift, windows."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay
from xymac.hdl.isa import (
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
from xymac.hdl.limits import check_between, check_ways

from .scan import Rows, Scan

__all__ = ["Checker"]


class Checker(wiring.Component):
    """Check the fields of a pass before it runs, and report the first error.

    The order of checks is operation, counts, shift, table, windows. The Y window of a gather must
    be exactly one table; the X window of a cross must consist of whole rows of banks. ``RANK`` and
    ``POP`` need a MAC with 1 beat; ``RANGE`` needs X by lanes with 4 beats. ``Scan`` compares the
    fields derived by ``pack`` with their window, so no encoding leads outside. Latency ``LATENCY``
    cycles from the last line of the pass; ``pass_`` must be stable meanwhile, ``place`` from a
    cycle later. Throughput 1 pass in ``LATENCY`` cycles, no backpressure.

    Parameters
    ----------
    ways : int, MACs per lane: 1, 2 or 4
    x_rows, y_rows : int, rows of X and of Y memory, 2 .. 4096
    functions : int, value of ``Register.FUNCTIONS``
    vendor : None or "ecp5", see ``Scan``

    TypeError unless an int, ValueError outside the range.

    Members
    -------
    pass_ : In(Encoded); place : In(Place), the place of its table
    begin : In(1), two cycles before the last line of the pass
    status : Out(Status), the first error; field : Out(4), the field at fault
    rows : Out(Rows), turn : Out(4), its windows, as in ``Scan``
    """

    LATENCY = 3
    AHEAD   = 2  #: Cycles from ``begin`` to the last line.

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

        # Stage 3: the first error. Later assignments win, so the list is reversed.
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
        """Whether the X or Y window is misaligned for the operation."""
        pass_, x, y = self.pass_, self.pass_.x.agu, self.pass_.y.agu
        table  = self._ways * BANKS * self._ways  # Y addresses of a gather table
        ragged = ((pass_.op == Op.CROSS)
                  & ((x.low % BANKS != 0) | (x.high % BANKS != BANKS - 1)))
        parted = (pass_.op == Op.GATHER) & ((y.low % table != 0) | (y.high != table - 1))
        return delay(m, Cat(ragged, parted), 1, name="ragged")

    def _counts(self, m, ranges):
        """Flag every count of 0, and a beat count unfit for the pass."""
        pass_  = self.pass_
        counts = [*(pass_.outer[n] == 0 for n in range(3)), *(pass_.taps[n] == 0 for n in range(3)),
                  (pass_.beats == 0) | (pass_.beats > BANKS)
                  | (pass_.hold & (pass_.beats != BANKS))
                  | (pass_.ranks & (pass_.beats != Mux(ranges, BANKS, 1)))]
        zero = Signal(len(counts))
        m.d.sync += [bit.eq(count) for bit, count in zip(zero, counts, strict=True)]
        return zero

    def _unknown(self, ranges):
        """Whether the core lacks the operation or the reduction, or cannot combine them."""
        pass_    = self.pass_
        known    = Const(self._functions, 32)
        slides   = pass_.op == Op.SLIDE
        excluded = pass_.ranks & Mux(ranges, pass_.x_shape != Shape.LANES, pass_.op != Op.MAC)
        no_slide = slides & ((pass_.x_shape != Shape.LANES) | (pass_.y_shape != Shape.VECTOR)
                             | (ranges & pass_.ranks) | pass_.hold | pass_.resume
                             | (pass_.floor != 0))
        return (~known[:16].bit_select(pass_.op, 1) | excluded | no_slide
                | ~known[16:24].bit_select(reduce_of(pass_), 1))
