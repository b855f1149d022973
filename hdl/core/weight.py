# SPDX-License-Identifier: Apache-2.0
"""Weight selection: the bytes of a weight from the words of the lane's memories."""

from amaranth import Cat, Const, Instance, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.limits import check_one_of, check_vendor

__all__ = ["Weight"]

_BYTE  = 8
_EITHER = 0xCA00  # LUT4 content: D and (C ? B : A)


class Weight(wiring.Component):
    """Select a word, then both its bytes or a single sign-extended byte.

    Without ``gate`` the result is 0. With ``wide``, ``byte`` must be 0. Latency 0 cycles,
    throughput 1 word per cycle, no backpressure.

    On an ECP5 two look-up tables select between the words, each for a bit position in a byte; the
    multiplexer behind them selects the byte. This takes 3 cells per bit, where synthesis finds 4.

    Parameters
    ----------
    words : int, 1 or 2; TypeError unless an int, ValueError for any other value
    vendor : None for portable logic, "ecp5" for its cells; ValueError otherwise

    Members
    -------
    words : In(``words`` 16-bit words); second : In(1), select the second word
    byte : In(1), select the upper byte; wide : In(1), select both bytes
    gate : In(1)
    o : Out(16)
    """

    def __init__(self, *, words, vendor=None):
        self._words  = check_one_of("Words", words, (1, 2))
        self._vendor = check_vendor(vendor)
        super().__init__({"words": In(data.ArrayLayout(2 * _BYTE, words)), "second": In(1),
                          "byte": In(1), "wide": In(1), "gate": In(1), "o": Out(2 * _BYTE)})

    def elaborate(self, platform):
        m = Module()
        word, low = Signal(2 * _BYTE), Signal(_BYTE)
        if self._words == 2 and self._vendor == "ecp5":
            self._choose(m, word, low)
        else:
            m.d.comb += [word.eq(Mux(self.gate, Mux(self.second, self.words[-1], self.words[0]),
                                     0)),
                         low.eq(Mux(self.byte, word[_BYTE:], word[:_BYTE]))]
        m.d.comb += self.o.eq(Cat(low, Mux(self.wide, word[_BYTE:], low[-1].replicate(_BYTE))))
        return m

    def _choose(self, m, word, low):
        """Drive ``word`` and its selected byte ``low`` from ECP5 cells."""
        for place in range(2 * _BYTE):
            m.submodules[f"word_{place}"] = Instance(
                "LUT4", p_INIT=Const(_EITHER, 16), i_A=self.words[0][place],
                i_B=self.words[1][place], i_C=self.second, i_D=self.gate, o_Z=word[place])
        for place in range(_BYTE):
            m.submodules[f"byte_{place}"] = Instance(
                "PFUMX", i_BLUT=word[place], i_ALUT=word[_BYTE + place], i_C0=self.byte,
                o_Z=low[place])
