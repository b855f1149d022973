"""Registered multiplier, delay lines and saturating helpers shared by the blocks."""

from amaranth import ClockSignal, Const, Instance, Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .isa import RoundMode

__all__ = ["Multiply", "delay", "rounds_up", "sign_uniform"]


def delay(m, value, cycles, *, name):
    """Return ``value`` as it was ``cycles`` cycles ago; adds registers to ``m``.

    The registers have no reset: synthesis would merge them with the resettable registers that hand
    the same value from lane to lane, and undo the skew.
    """
    for stage in range(cycles):
        previous, value = value, Signal.like(value, name=f"{name}_{stage + 1}", reset_less=True)
        m.d.sync += value.eq(previous)
    return value


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


class Multiply(wiring.Component):
    """Multiply two signed 16-bit numbers: ``o = a * b``.

    Latency 2 cycles (operand registers, product register), throughput 1 a cycle, always ready.

    Parameters
    ----------
    vendor : None for portable logic, "ecp5" for a MULT18X18D with its own registers; ValueError
        otherwise

    Members
    -------
    a, b : In(signed(16))
    o : Out(signed(32))
    """

    LATENCY = 2

    a: In(signed(16))
    b: In(signed(16))
    o: Out(signed(32))

    def __init__(self, *, vendor=None):
        if vendor not in (None, "ecp5"):
            raise ValueError(f"Vendor must be None or 'ecp5', not {vendor!r}")
        self._vendor = vendor
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        if self._vendor == "ecp5":
            m.submodules.mult = self._mult18x18d()
            return m
        a = Signal(signed(16))
        b = Signal(signed(16))
        m.d.sync += [a.eq(self.a), b.eq(self.b), self.o.eq(a * b)]
        return m

    def _mult18x18d(self):
        product = Signal(36)
        ports = {f"i_{side}{bit}": operand[min(bit, 15)]
                 for side, operand in (("A", self.a), ("B", self.b)) for bit in range(18)}
        ports |= {f"o_P{bit}": self.o[bit] if bit < 32 else product[bit] for bit in range(36)}
        registers = {f"p_REG_{name}_CLK": "CLK0" for name in ("INPUTA", "INPUTB", "OUTPUT")}
        return Instance("MULT18X18D", **registers, **ports, i_CLK0=ClockSignal(), i_CE0=Const(1),
                        i_RST0=Const(0), i_SIGNEDA=Const(1), i_SIGNEDB=Const(1),
                        i_SOURCEA=Const(0), i_SOURCEB=Const(0))
