"""Registered multiplier, delay lines and saturating helpers shared by the blocks."""

from amaranth import Array, Cat, ClockSignal, Const, Instance, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .isa import RoundMode
from .limits import check_between, check_vendor

__all__ = ["DelayLine", "Multiply", "WideMultiply", "delay", "rounds_up", "shift_right",
           "sign_uniform"]

_RING = 16  # entries of the distributed memory of an ECP5


def delay(m, value, cycles, *, name):
    """Return ``value`` as it was ``cycles`` cycles ago; adds registers to ``m``.

    The registers have no reset: synthesis would merge them with the resettable registers that hand
    the same value from lane to lane, and undo the skew.
    """
    for stage in range(cycles):
        previous, value = value, Signal.like(value, name=f"{name}_{stage + 1}", reset_less=True)
        m.d.sync += value.eq(previous)
    return value


class DelayLine(wiring.Component):
    """Hand on a value after many cycles: ``delay`` for where registers are dear.

    On an ECP5 the values lie in a ring of distributed memory between two registers, which takes a
    fourth of the slices. Latency ``cycles`` cycles, throughput 1 value a cycle, no backpressure.

    Parameters
    ----------
    shape : of the value; TypeError for what is no shape
    cycles : int, 3 .. 18; TypeError for what is no int, ValueError outside
    vendor : None for registers, "ecp5" for a ring; ValueError otherwise

    Members
    -------
    i : In(shape); o : Out(shape), ``cycles`` cycles later
    """

    def __init__(self, shape, cycles, *, vendor=None):
        self._cycles = check_between("Cycles", cycles, 3, _RING + 2)
        self._vendor = check_vendor(vendor)
        super().__init__({"i": In(shape), "o": Out(shape)})

    def elaborate(self, platform):
        m = Module()
        if self._vendor is None:
            m.d.comb += self.o.eq(delay(m, self.i, self._cycles, name="value"))
            return m
        depth = self._cycles - 2
        m.submodules.ring = ring = Memory(shape=len(Value.cast(self.i)), depth=_RING, init=[])
        reader, writer = ring.read_port(domain="comb"), ring.write_port()
        place, found   = Signal(range(_RING)), Signal.like(self.o, reset_less=True)
        m.d.sync += [place.eq(Mux(place == depth - 1, 0, place + 1)), found.eq(reader.data)]
        m.d.comb += [reader.addr.eq(place), writer.addr.eq(place), writer.en.eq(1),
                     writer.data.eq(delay(m, self.i, 1, name="value")), self.o.eq(found)]
        return m


def sign_uniform(value, width):
    """True when ``value`` fits ``width`` signed bits: all bits from its sign bit up are equal."""
    top = value[width - 1:]
    return ~top.any() | top.all()


def rounds_up(mode, half, below, odd):
    """Whether a right shift adds 1, by ``RoundMode``.

    ``half`` is the bit below the result, ``below`` whether anything lies below that, ``odd`` the
    lowest bit of the result.
    """
    return half & ((mode == RoundMode.UP) | ((mode == RoundMode.CONVERGENT) & (below | odd)))


def shift_right(m, value, amount):
    """Shift right by ``amount``, of four bits or more, in two cycles, bytes first.

    Returns the result and whether anything but zeros fell off.
    """
    coarse, below, fine = Signal.like(value, name="coarse"), Signal(), Signal(3)
    m.d.sync += [fine.eq(amount[:3]), coarse.eq(_right(value, amount[3:], 8)),
                 below.eq(_lost(value, amount[3:], 8))]
    shifted, sticky = Signal.like(value, name="shifted"), Signal()
    m.d.sync += [shifted.eq(_right(coarse, fine, 1)), sticky.eq(below | _lost(coarse, fine, 1))]
    return shifted, sticky


def _right(value, amount, unit):
    """Shift right by ``amount * unit``, a bit of the amount after the other.

    A switch would decode the amount first: one more level, and one net to every bit.
    """
    for index, bit in enumerate(amount):
        value = Mux(bit, value >> (unit << index), value).as_signed()
    return value


def _lost(value, amount, unit):
    """Whether that shift loses a bit that is set."""
    lost = [value[:unit * count].any() if count else Const(0) for count in range(1 << len(amount))]
    return Array(lost)[amount]


class Multiply(wiring.Component):
    """Multiply two signed numbers of up to 18 bits: ``o = a * b``.

    Latency 2 cycles (operand registers, product register), throughput 1 product a cycle, no
    backpressure.

    Parameters
    ----------
    bits : int, of each factor, 2 .. 18; TypeError for what is no int, ValueError outside
    vendor : None for portable logic, "ecp5" for a MULT18X18D with its own registers; ValueError
        otherwise

    Members
    -------
    a, b : In(signed(bits))
    o : Out(signed(2 * bits))
    """

    LATENCY = 2

    def __init__(self, *, bits=16, vendor=None):
        self._bits   = check_between("Bits", bits, 2, 18)
        self._vendor = check_vendor(vendor)
        super().__init__({"a": In(signed(bits)), "b": In(signed(bits)),
                          "o": Out(signed(2 * bits))})

    def elaborate(self, platform):
        m = Module()
        if self._vendor == "ecp5":
            m.submodules.mult = self._mult18x18d()
            return m
        a = Signal(signed(self._bits))
        b = Signal(signed(self._bits))
        m.d.sync += [a.eq(self.a), b.eq(self.b), self.o.eq(a * b)]
        return m

    def _mult18x18d(self):
        product = Signal(36)
        ports = {f"i_{side}{bit}": operand[min(bit, self._bits - 1)]
                 for side, operand in (("A", self.a), ("B", self.b)) for bit in range(18)}
        ports |= {f"o_P{bit}": self.o[bit] if bit < len(self.o) else product[bit]
                  for bit in range(36)}
        registers = {f"p_REG_{name}_CLK": "CLK0" for name in ("INPUTA", "INPUTB", "OUTPUT")}
        return Instance("MULT18X18D", **registers, **ports, i_CLK0=ClockSignal(), i_CE0=Const(1),
                        i_RST0=Const(0), i_SIGNEDA=Const(1), i_SIGNEDB=Const(1),
                        i_SOURCEA=Const(0), i_SOURCEB=Const(0))


class WideMultiply(wiring.Component):
    """Multiply two signed 32-bit numbers and add a third: ``o = a * b + addend``.

    Of four products of halves, the low halves without a sign, ``o = high << 32 + middle << 16 +
    low``; three additions of up to 35 bits, a cycle each, make one number of them. ``|a * b|`` is
    at most 2**62 and the addend at most 2**31: ``o`` cannot overflow.
    Latency ``LATENCY`` cycles, throughput 1 product a cycle, no backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``Multiply``; ValueError otherwise

    Members
    -------
    a, b : In(signed(32))
    addend : In(signed(32)), ``Multiply.LATENCY`` cycles after its factors
    o : Out(signed(64))
    """

    LATENCY = Multiply.LATENCY + 3

    a:      In(signed(32))
    b:      In(signed(32))
    addend: In(signed(32))
    o:      Out(signed(64))

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        halves = [(Cat(side[:16], 0).as_signed(), side[16:].as_signed())
                  for side in (self.a, self.b)]
        products = []
        for number in range(4):
            m.submodules[f"multiply_{number}"] = unit = Multiply(bits=17, vendor=self._vendor)
            m.d.comb += [unit.a.eq(halves[0][number >> 1]), unit.b.eq(halves[1][number & 1])]
            products.append(unit.o)
        low, middle = Signal(signed(34)), Signal(signed(34))
        centre, high = Signal(signed(35)), Signal(signed(32))
        m.d.sync += [
            low.eq(products[0][:33].as_signed() + self.addend),
            middle.eq(products[1][:33].as_signed() + products[2][:33].as_signed()),
            centre.eq(middle + low[16:].as_signed()),
            high.eq(delay(m, products[3], 2, name="above") + centre[16:].as_signed())]
        m.d.comb += self.o.eq(Cat(delay(m, low[:16], 2, name="low"),
                                  delay(m, centre[:16], 1, name="centre"), high).as_signed())
        return m
