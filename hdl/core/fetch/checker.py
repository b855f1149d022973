"""Check a fetched pass: operation, counts, shift, windows."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.isa import (
    BANKS,
    SHIFT_MAX,
    SHIFT_MIN,
    TABLE_ENTRIES,
    AguMode,
    Count,
    Encoded,
    Memory,
    Op,
    Place,
    Reduce,
    Shape,
    Status,
    Table,
    reduce_of,
    table_of,
)
from hdl.limits import check_between, check_rows, check_ways

__all__ = ["Checker"]


class Checker(wiring.Component):
    """Judge a pass by what can be known before it runs.

    The first offence in the order operation, counts, shift, table, windows is named; of a gather
    the window of Y must be one whole table, of a cross that of X whole rows of banks; only a MAC of
    1 beat ranks or pops, only X by lanes of 4 beats has a range. The fields that
    ``pack`` derives from a window must be its own: no ``last`` behind the window, of a bit-reversed
    access ``order`` bits and 1 beat, so that no word leads outside. Latency ``LATENCY`` cycles, for
    which ``pass_`` and ``place`` must stand: throughput one pass in so many. No backpressure.

    Parameters
    ----------
    ways : int, products a lane forms a cycle: 1, 2 or 4
    x_rows, y_rows : int, rows of X and of Y memory, 2 .. 4096
    functions : int, word of ``Register.FUNCTIONS``

    TypeError for what is no int, ValueError outside.

    Members
    -------
    pass_ : In(Encoded); place : In(Place), of its table
    status : Out(Status), field : Out(4)
    """

    LATENCY = 3

    pass_:  In(Encoded)
    place:  In(Place)
    status: Out(Status)
    field:  Out(4)

    def __init__(self, *, ways, x_rows, y_rows, functions):
        self._functions = check_between("Functions", functions, 0, (1 << 32) - 1)
        self._ways   = check_ways(ways)
        self._x_rows = check_rows("X", x_rows)
        self._y_rows = check_rows("Y", y_rows)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        pass_  = self.pass_
        ranges = reduce_of(pass_) == Reduce.RANGE
        bad    = self._windows(m, self._astray(m))
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

    def _windows(self, m, astray):
        """Whether each window ends beyond its memory, or is not as the operation needs it."""
        pass_, x, y = self.pass_, self.pass_.x.agu, self.pass_.y.agu
        groups_x, groups_y = self._x_rows * BANKS, self._y_rows * BANKS * self._ways
        gathers = pass_.op == Op.GATHER
        units = {
            "x": (x, pass_.x_width, groups_x, groups_x * self._ways, gathers),
            "y": (y, pass_.y_width, self._y_rows, self._y_rows * self._ways, pass_.y_shape),
            "z": (pass_.z, pass_.z_width, groups_x, groups_y, pass_.z_memory),
        }
        assert Shape.VECTOR.value == Memory.X.value == 0  # the second unit is for the value 1
        table = self._ways * BANKS * self._ways  # addresses of Y of a gather
        parted = Signal()
        ragged = Signal()
        m.d.sync += [
            parted.eq(gathers & ((y.low % table != 0) | (y.high != table - 1))),
            ragged.eq((pass_.op == Op.CROSS)
                      & ((x.low % BANKS != 0) | (x.high % BANKS != BANKS - 1)))]
        # Stage 1: where each window ends, and how far it may reach; 8-bit units are twice as many.
        bad = []
        for name, (agu, width, if_zero, if_one, choice) in units.items():
            end, limit = Signal(18, name=f"end_{name}"), Signal(18, name=f"limit_{name}")
            m.d.sync += [end.eq(agu.low + agu.high),
                         limit.eq(Mux(choice, if_one, if_zero) << ~width.as_value())]
            beyond = Signal(name=f"beyond_{name}")
            m.d.sync += beyond.eq((end >= limit) | astray[name]  # stage 2
                                  | {"x": ragged, "y": parted}.get(name, 0))
            bad.append(beyond)
        return bad

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

    def _astray(self, m):
        """Whether the derived fields of each access lead outside its window, by its name."""
        pass_  = self.pass_
        lanes  = pass_.x_shape == Shape.LANES
        accesses = {"x": pass_.x.agu, "y": pass_.y.agu, "z": pass_.z}
        astray = {name: Signal(name=f"astray_{name}") for name in accesses}
        behind = {"x": pass_.x.last + Mux(lanes, pass_.beats - 1, 0) > pass_.x.agu.high,
                  "y": pass_.y.last > pass_.y.agu.high, "z": 0}
        ragged = {"x": lanes & (pass_.beats != 1), "y": 0, "z": 0}
        for name, agu in accesses.items():
            other = agu.high != Cat(place < agu.order for place in range(len(agu.high)))
            m.d.sync += astray[name].eq(behind[name] | (
                (agu.mode == AguMode.BIT_REVERSED) & (other | ragged[name])))
        return astray
