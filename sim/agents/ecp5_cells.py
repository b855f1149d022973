# SPDX-License-Identifier: Apache-2.0
"""ECP5 cells as components, for the benches on their models."""

import random

from amaranth import ClockSignal, Instance, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CONTENT", "BlockRam", "DspMultiply", "Register"]

#: Initial 18-bit words of ``BlockRam``.
CONTENT = [random.Random(101).getrandbits(18 * 1024) >> 18 * word & 0x3FFFF
           for word in range(1024)]


def _bits(direction, name, signal):
    return {f"{direction}_{name}{index}": bit for index, bit in enumerate(signal)}


class BlockRam(wiring.Component):
    """A DP16KD with ``CONTENT``; port A reads and writes, port B reads.

    Parameters
    ----------
    widths : port A and B widths, bits
    parameters : additional cell parameters

    Members
    -------
    a_enable, a_write, b_enable : In(1)
    a_address, b_address : In(14); low bits that a width does not use are byte enables or unused
    a_data : In(36)
    a, b : Out(18), Out(36)
    """

    def __init__(self, widths, **parameters):
        self._widths, self._parameters = widths, parameters
        super().__init__({
            "a_enable": In(1), "a_write": In(1), "b_enable": In(1), "a_address": In(14),
            "b_address": In(14), "a_data": In(36), "a": Out(18), "b": Out(36)})

    def elaborate(self, platform):
        m = Module()
        out_a, out_b = Signal(18), Signal(18)
        init = {f"p_INITVAL_{row:02X}": sum(word << 20 * place for place, word in
                                            enumerate(CONTENT[16 * row:16 * row + 16]))
                for row in range(64)}
        parameters = {f"p_{name}": value for name, value in {
            "DATA_WIDTH_A": self._widths[0], "DATA_WIDTH_B": self._widths[1], "GSR": "DISABLED",
            **self._parameters}.items()}
        ports = {f"i_{name}": 0 for side in "AB" for name in
                 (f"RST{side}", f"CS{side}0", f"CS{side}1", f"CS{side}2")}
        m.submodules.cell = Instance(
            "DP16KD", **init, **parameters, **ports,
            **_bits("i", "ADA", self.a_address), **_bits("i", "ADB", self.b_address),
            **_bits("i", "DIA", self.a_data[:18]), **_bits("i", "DIB", self.a_data[18:]),
            **_bits("o", "DOA", out_a), **_bits("o", "DOB", out_b),
            i_CLKA=ClockSignal(), i_CEA=self.a_enable, i_WEA=self.a_write, i_OCEA=1,
            i_CLKB=ClockSignal(), i_CEB=self.b_enable, i_WEB=0, i_OCEB=1)
        wide = self._widths[1] == 36
        m.d.comb += [self.a.eq(out_a), self.b[18 * wide:].eq(out_b)]
        if wide:
            m.d.comb += self.b[:18].eq(out_a)
        return m


class DspMultiply(wiring.Component):
    """A MULT18X18D: ``p = a * b``.

    Parameters
    ----------
    registered : names of its registers: INPUTA, INPUTB, OUTPUT
    signed : whether a and b are signed
    parameters : additional cell parameters

    Members
    -------
    a, b : In(18)
    enable, reset : In(1), for the registers
    p : Out(36)
    """

    def __init__(self, registered, signed, **parameters):
        self._registered, self._signed, self._parameters = registered, signed, parameters
        super().__init__({"a": In(18), "b": In(18), "enable": In(1), "reset": In(1),
                          "p": Out(36)})

    def elaborate(self, platform):
        m = Module()
        parameters = {f"p_REG_{name}_CLK": "CLK0" for name in self._registered}
        parameters |= {f"p_{name}": value for name, value in self._parameters.items()}
        m.submodules.cell = Instance(
            "MULT18X18D", **parameters,
            **_bits("i", "A", self.a), **_bits("i", "B", self.b), **_bits("o", "P", self.p),
            i_SIGNEDA=self._signed[0], i_SIGNEDB=self._signed[1], i_SOURCEA=0, i_SOURCEB=0,
            i_CLK0=ClockSignal(), i_CE0=self.enable, i_RST0=self.reset)
        return m


class Register(wiring.Component):
    """A TRELLIS_FF without reset; ``o`` takes ``i`` if ``load`` is high.

    Parameters
    ----------
    value : "SET" or "RESET", initial value

    Members
    -------
    i, load : In(1)
    o : Out(1)
    """

    def __init__(self, value):
        self._value = value
        super().__init__({"i": In(1), "load": In(1), "o": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.cell = Instance(
            "TRELLIS_FF", p_REGSET=self._value, p_CEMUX="CE", p_GSR="DISABLED", i_LSR=0,
            i_CLK=ClockSignal(), i_CE=self.load, i_DI=self.i, o_Q=self.o)
        return m
