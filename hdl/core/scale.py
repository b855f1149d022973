"""Scale unit of one column: limit a finished sum, multiply and add as its lane says."""

from amaranth import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.arith import delay, rounds_up, shift_right, sign_uniform
from hdl.isa import ACC_BITS, BANKS, BIAS_BITS, FLOOR_MAX, SHIFT_MIN, Op, RoundMode, Scale
from hdl.limits import check_vendor
from hdl.multiply import Multiply, WideMultiply

__all__ = ["Mode", "Record", "ScaleUnit", "mode_of"]

_SETS = 4  # parameters of so many outermost indices stand; two would do, but memories are 16 deep

#: How sums are made and narrowed; an unscaled pass leaves its rounding out. One that
#: ``shares`` is scaled by the inverse.
Mode   = data.StructLayout({"scale": Scale, "rounding": RoundMode, "floor": range(FLOOR_MAX + 1),
                            "shares": 1})
#: What is no sum but parameters: ``mul | pre << 32 | post << 37``, or an addend.
Record = data.StructLayout({"scale": 1, "addend": 1})


def mode_of(pass_):
    """The bits of the Mode of an Encoded pass."""
    shares = pass_.op == Op.SHARE
    scale  = pass_.scale.as_value() | Mux(shares, Scale.BITS32.value, 0)
    return Cat(scale, pass_.rounding.as_value() & scale.any().replicate(2), pass_.floor, shares)


class ScaleUnit(wiring.Component):
    """Compute ``limit(round(acc40 / 2**pre)) * mul + addend``, or ``limit(acc40) * inverse``.

    Sums come bank by bank, parameters as well: they stand, bank for bank, for the sums after them.
    A record ``scale`` begins new parameters, without an addend. Each memory is read where its value
    is needed, so that only a place goes along with a sum. The coarse and the fine shift, the
    rounding addition, the range check and the limit each have a cycle.
    Latency ``LATENCY`` cycles, throughput 1 sum or record a cycle, no backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    Members
    -------
    acc : In(signed(48)), the 40-bit sum and its wraps, or a record; valid : In(1);
        record : In(Record)
    mode : In(Mode), of the sum or record; inverse : In(15), stands while shares are in the unit; a
        share is its product in steps of ``2**SHIFT_MIN``, without ``post``
    product : Out(signed(64)), post : Out(6), its right shift
    beyond : Out(2), the sum does not fit 32 bits, 40 bits; a cycle ahead of the product
    """

    _LIMITED = 7  # cycles to the limited sum
    LATENCY  = _LIMITED + WideMultiply.LATENCY

    acc:     In(signed(BIAS_BITS))
    valid:   In(1)
    record:  In(Record)
    mode:    In(Mode)
    inverse: In(15)
    product: Out(signed(64))
    post:    Out(6)
    beyond:  Out(2)

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        bank, set_ = Signal(range(BANKS)), Signal(range(_SETS))
        with m.If(self.valid):
            m.d.sync += bank.eq(bank + 1)
            with m.If(self.record.scale & (bank == BANKS - 1)):
                m.d.sync += set_.eq(set_ + 1)
        self._place   = Signal(range(BANKS * _SETS))
        self._written = Signal.like(self._place)
        m.d.comb += [self._place.eq(Cat(bank, set_)),
                     self._written.eq(Cat(bank, (set_ + self.record.scale)[:len(set_)]))]
        parameters = self.acc.as_unsigned()
        self._modes = [self.mode]  # in the cycles after the sum's
        for stage in range(1, self.LATENCY):
            self._modes.append(delay(m, self._modes[-1], 1, name=f"mode{stage}"))
        twice = (self.mode.rounding == RoundMode.TWICE) & parameters[42]  # shifts of 32 and more
        m.submodules.multiply = multiply = WideMultiply(vendor=self._vendor)
        limited = self._limited(m, self._parameter(m, "pre", parameters[32:37], 1))
        addend = Mux(self.record.scale, twice << 30, parameters[:32])
        m.d.comb += [
            multiply.a.eq(limited),
            multiply.b.eq(self._parameter(m, "mul", parameters[:32], self._LIMITED)),
            multiply.addend.eq(self._signed(m, limited, self._parameter(
                m, "addend", addend, self._LIMITED + Multiply.LATENCY))),
            self.product.eq(multiply.o),
            self.post.eq(self._parameter(m, "post", parameters[37:43], self.LATENCY)),
        ]
        return m

    def _parameter(self, m, name, value, cycles):
        """A memory of one parameter; returns that of the sum that came ``cycles`` cycles ago."""
        m.submodules[name] = memory = Memory(shape=unsigned(len(value)), depth=BANKS * _SETS,
                                             init=[])
        reader, writer = memory.read_port(domain="comb"), memory.write_port()
        wanted = self.record.scale if name != "addend" else self.record.as_value().any()
        found  = Signal(len(value), name=name, reset_less=True)
        fixed  = Cat(Const(0, -SHIFT_MIN), self.inverse)[:len(value)] if name == "mul" else 0
        m.d.comb += [writer.addr.eq(self._written), writer.data.eq(value),
                     writer.en.eq(self.valid & wanted),
                     reader.addr.eq(delay(m, self._place, cycles - 1, name=f"place_{name}"))]
        m.d.sync += found.eq(Mux(self._modes[cycles - 1].shares, fixed, reader.data))
        return found

    def _signed(self, m, limited, addend):
        """The addend as it is, or with the sign of its sum where the mode rounds twice."""
        negative = delay(m, limited[-1], Multiply.LATENCY, name="negative")
        mode     = self._modes[self._LIMITED + Multiply.LATENCY]
        twice    = mode.rounding == RoundMode.TWICE
        return Cat(addend[:31], Mux(twice, addend[30] & negative, addend[31])).as_signed()

    def _limited(self, m, pre):
        """Stages 1 to 7: shift right, round, compare, limit; the sum's range as well."""
        acc   = delay(m, self.acc, 1, name="acc")
        value = Signal(signed(ACC_BITS + 1))  # and a bit to round by
        out   = Signal(2)
        m.d.comb += value.eq(acc[:ACC_BITS].as_signed() << 1)
        m.d.sync += out.eq(Cat(~sign_uniform(acc, 32), ~sign_uniform(acc, ACC_BITS)))
        m.d.comb += self.beyond.eq(delay(m, out, self.LATENCY - 3, name="out"))

        shifted, sticky = shift_right(m, value, pre)
        whole, carry = Signal(signed(ACC_BITS)), Signal()
        rounded = Signal(signed(ACC_BITS))  # 2**39 - 1 stays as it is, it is not shifted
        m.d.sync += [
            whole.eq(shifted[1:].as_signed()),
            carry.eq(rounds_up(self._modes[3].rounding, shifted[0], sticky, shifted[1])),
            rounded.eq(whole + carry)]

        short, limited  = Signal(signed(32)), Signal(signed(32))
        over, negative  = Signal(), Signal()
        (wide, edge_wide), (symmetric, edge_symmetric) = (
            [self._modes[stage].scale == scale for stage in (5, 6)]
            for scale in (Scale.BITS32, Scale.SYMMETRIC16))
        lowest = rounded[15] & ~rounded[:15].any()  # if 16 bits are enough
        m.d.sync += [over.eq(Mux(wide, ~sign_uniform(rounded, 32), ~sign_uniform(rounded, 16)
                                 | (symmetric & lowest))),
                     short.eq(rounded[:32]), negative.eq(rounded[-1])]
        # What is beyond the highest value has its bits but the sign, and the other way round.
        edge = Cat((~negative | edge_symmetric), (~negative).replicate(14),
                   Mux(edge_wide, ~negative, negative).replicate(16), negative)
        m.d.sync += limited.eq(Mux(over, edge.as_signed(), short))
        return limited
