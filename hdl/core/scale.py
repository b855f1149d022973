# SPDX-License-Identifier: Apache-2.0
"""Scale unit of a column: limit a finished accumulator, multiply it and add an addend."""

from amaranth import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay, rounds_up, sign_uniform
from xymac.hdl.carry import SelectAdd
from xymac.hdl.isa import ACC_BITS, BANKS, BIAS_BITS, FLOOR_MAX, SHIFT_MIN, Op, RoundMode, Scale
from xymac.hdl.limits import check_vendor
from xymac.hdl.multiply import Multiply, WideMultiply

from .funnel import Funnel

__all__ = ["Mode", "Record", "ScaleUnit", "mode_of"]

_LIMIT = 32  # width of a limited accumulator
_HALF  = 16  # half of the bits of ``mul``
assert _HALF == -SHIFT_MIN
_SETS  = 4  # parameter sets in memory, by outermost index; two suffice, but a memory is 16 deep

#: Scaling of accumulators; an unscaled pass has ``rounding`` 0. ``shares``: a softmax pass, scaled
#: by the inverse.
Mode   = data.StructLayout({"scale": Scale, "rounding": RoundMode, "floor": range(FLOOR_MAX + 1),
                            "shares": 1})
#: Kind of a parameter word: ``mul | pre << 32 | post << 37``, or an addend.
Record = data.StructLayout({"scale": 1, "addend": 1})


def mode_of(pass_):
    """The Mode bits of an Encoded pass."""
    shares = pass_.op == Op.SHARE
    scale  = pass_.scale.as_value() | Mux(shares, Scale.BITS32.value, 0)
    return Cat(scale, pass_.rounding.as_value() & scale.any().replicate(2), pass_.floor, shares)


class ScaleUnit(wiring.Component):
    """Compute ``limit(round(acc40 / 2**pre)) * mul + addend``, or ``limit(acc40) * inverse``.

    Accumulators and parameter words arrive bank by bank; a parameter word applies to all later
    accumulators in its bank. A ``scale`` word starts a new parameter set without an addend. Each
    parameter has a memory, read in the stage that needs it, so only an index travels with an
    accumulator. The coarse shift, the fine shift, the rounding addition, the range check and the
    limit take a cycle each.
    Latency ``LATENCY`` cycles, throughput 1 accumulator or parameter word per cycle, no
    backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    Members
    -------
    acc : In(signed(48)), the 40-bit accumulator and its wrap count, or a parameter word
    valid : In(1); record : In(Record)
    mode : In(Mode), for every input from 0 to ``MODED`` cycles ago
    inverse : In(15), stable while a softmax output is in the unit, whose product is in units of
        ``2**SHIFT_MIN``, without ``post``
    product : Out(signed(64)), post : Out(6), its right shift
    beyond : Out(2), the accumulator does not fit 32 bits, 40 bits
    """

    _LIMITED = 7  # cycles to the limited accumulator
    MODED    = _LIMITED + Multiply.LATENCY  # last cycle that uses the mode
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
        bank, set_ = Signal(range(BANKS), name="bank"), Signal(range(_SETS), name="set_")
        with m.If(self.valid):
            m.d.sync += bank.eq(bank + 1)
            with m.If(self.record.scale & (bank == BANKS - 1)):
                m.d.sync += set_.eq(set_ + 1)
        index = Signal(range(BANKS * _SETS))
        written = Signal(range(BANKS * _SETS))
        m.d.comb += [index.eq(Cat(bank, set_)),
                     written.eq(Cat(bank, (set_ + self.record.scale)[:len(set_)]))]
        word, shares = self.acc.as_unsigned(), self.mode.shares
        twice = (self.mode.rounding == RoundMode.TWICE) & word[42]  # for shifts by 32 or more

        def parameter(name, value, cycles, written_by=self.record.scale):
            """Memory for a parameter; returns its value for the accumulator ``cycles - 1`` ago."""
            m.submodules[name] = memory = Memory(shape=unsigned(len(value)), depth=BANKS * _SETS,
                                                 init=[])
            reader, writer = memory.read_port(domain="comb"), memory.write_port()
            m.d.comb += [writer.addr.eq(written), writer.data.eq(value),
                         writer.en.eq(self.valid & written_by),
                         reader.addr.eq(delay(m, index, cycles - 1, name=f"index_{name}"))]
            return reader.data

        pre, post = Signal(5, name="pre"), Signal(6, name="post")
        added, every = self.MODED, self.record.as_value().any()
        plain = parameter("plain", Cat(self.record.scale, twice), added, every)
        given = parameter("addend", word[:32], added + 1, self.record.addend)
        mul   = parameter("mul", word[:32], self._LIMITED + 1)
        going, large = Signal(name="going"), Signal(name="large")
        m.d.sync += [
            pre.eq(Mux(shares, 0, parameter("pre", word[32:37], 2))),
            going.eq(~(plain[0] | shares)), large.eq(plain[0] & plain[1] & ~shares),
            post.eq(parameter("post", word[37:43], self.LATENCY))]
        m.submodules.multiply = multiply = WideMultiply(vendor=self._vendor)
        limited  = self._limited(m, pre)
        negative = delay(m, limited[-1], Multiply.LATENCY, name="negative")
        # If the mode rounds twice, the addend takes the sign of the accumulator.
        sign = Mux(self.mode.rounding == RoundMode.TWICE,
                   Mux(going, given[30], large) & negative, going & given[31])
        m.d.comb += [
            multiply.a.eq(limited), multiply.addend.eq(given[:31]), multiply.going.eq(going),
            multiply.b.eq(Cat(mul[:_HALF], Mux(shares, self.inverse, mul[_HALF:]))),
            multiply.high.eq(shares),  # a softmax product is in units of 2**SHIFT_MIN
            multiply.seed.eq(Cat(Const(0, 30), large, sign)),
            self.product.eq(multiply.o), self.post.eq(post)]
        return m

    def _limited(self, m, pre):
        """Stages 1 to 7: shift right, round, compare, limit; also the accumulator range."""
        acc = delay(m, self.acc, 1, name="acc")
        out = Signal(2, name="out")
        m.d.sync += out.eq(Cat(~sign_uniform(acc, 32), ~sign_uniform(acc, ACC_BITS)))
        m.d.comb += self.beyond.eq(delay(m, out, self.LATENCY - 2, name="out"))

        m.submodules.funnel = funnel = Funnel(value_bits=ACC_BITS + 1, kept=1 + _LIMIT,
                                              amount_bits=5)
        sum_ = delay(m, acc[:ACC_BITS].as_signed(), 1, name="sum")
        m.d.comb += [funnel.value.eq(sum_ << 1), funnel.amount.eq(pre)]
        width = _LIMIT + 1
        whole = Signal(signed(width), name="whole")
        carry, last, over, negative, outside, low = (Signal(name=name) for name in (
            "carry", "last", "over", "negative", "outside", "low"))
        half, odd = (Mux(funnel.last, funnel.o[place + 1], funnel.o[place]) for place in range(2))
        m.d.sync += [
            whole.eq(funnel.o[1:]), last.eq(funnel.last), over.eq(funnel.beyond),
            negative.eq(funnel.negative), outside.eq(over), low.eq(over & negative),
            carry.eq(rounds_up(self.mode.rounding, half, funnel.sticky, odd))]
        m.submodules.round = round_ = SelectAdd(width=width, vendor=self._vendor)
        m.d.comb += [round_.term.eq(carry), round_.high.eq(whole[1:].as_signed()),
                     round_.low.eq(whole), round_.select.eq(last.replicate(width))]
        rounded = Signal(signed(width), name="rounded")
        m.d.sync += rounded.eq(round_.o)
        return self._limit(m, rounded, outside, low)

    def _limit(self, m, rounded, outside, low):
        """Stages 6 and 7: limit; ``outside`` marks a rounded value with more than 32 bits, and
        ``low`` such a negative value."""
        short = Signal(signed(_LIMIT), name="short")
        limits, below   = Signal(name="limits"), Signal(name="below")
        wide, symmetric = (self.mode.scale == scale
                           for scale in (Scale.BITS32, Scale.SYMMETRIC16))
        lowest = rounded[15] & ~rounded[:15].any()  # if 16 bits are enough
        beyond = Mux(wide, rounded[-1] ^ rounded[-2],
                     ~sign_uniform(rounded, 16) | (symmetric & lowest))
        m.d.sync += [limits.eq(outside | beyond), short.eq(rounded[:_LIMIT]),
                     below.eq(low | (~outside & rounded[-1]))]
        # A limit has its sign in the highest bits and its complement below.
        edge = Cat(~below | symmetric, (~below).replicate(14),
                   Mux(wide, ~below, below).replicate(16), below)
        return Mux(limits, edge.as_signed(), short)
