# SPDX-License-Identifier: Apache-2.0
"""Clock and reset for an iCE40 design."""

from dataclasses import dataclass

from amaranth import ClockDomain, ClockSignal, Const, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from xymac.host.errors import InputError

__all__ = ["Ice40Clock", "Ice40Dividers", "find_ice40_dividers"]

# Limits of the PLL, MHz. Source: Lattice FPGA-DS-02008, sysCLOCK PLL timing.
_PHASE = 10.0, 133.0
_VCO   = 533.0, 1066.0
_RANGE = (17, 26, 44, 66, 101, 133)  # phase comparison frequency limit of each filter setting, MHz


@dataclass(frozen=True)
class Ice40Dividers:
    """PLL settings: output = source * (``feedback`` + 1) / 2 ** ``output``."""

    feedback: int
    output:   int
    filter:   int


def find_ice40_dividers(source, target):
    """Dividers that make exactly ``target`` from ``source``, both MHz; InputError if there are
    none.
    """
    for output in range(1, 7):
        feedback = round(target * 2 ** output / source) - 1
        exact = abs(source * (feedback + 1) / 2 ** output - target) < 1e-6
        if (exact and 0 <= feedback <= 127 and _PHASE[0] <= source <= _PHASE[1]
                and _VCO[0] <= target * 2 ** output <= _VCO[1]):
            return Ice40Dividers(feedback, output,
                                 1 + next(i for i, limit in enumerate(_RANGE) if source < limit))
    raise InputError(f"No PLL of an iCE40 makes {target:g} MHz of {source:g} MHz")


class Ice40Clock(wiring.Component):
    """Make the clock of the domain ``sync`` from a crystal clock, and reset the domain.

    The reset lasts until the PLL has locked, while the button is pressed, and some cycles longer.

    Parameters
    ----------
    pad : crystal clock port, on a PLL pin
    source, target : float, MHz, crystal clock and domain clock; InputError, see
        ``find_ice40_dividers``
    aim : float, place and route target clock for the domain, MHz

    Members
    -------
    button : In(1), asynchronous
    """

    _CYCLES = 255

    button: In(1)

    def __init__(self, pad, *, source, target, aim):
        self._pad, self._dividers = pad, find_ice40_dividers(source, target)
        self._aim = aim
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.domains.power = ClockDomain(local=True, reset_less=True)
        clock, locked = Signal(), Signal()
        m.submodules.pll = Instance(
            "SB_PLL40_PAD", p_FEEDBACK_PATH="SIMPLE", p_PLLOUT_SELECT="GENCLK",
            p_DIVR=Const(0, 4), p_DIVF=Const(self._dividers.feedback, 7),
            p_DIVQ=Const(self._dividers.output, 3), p_FILTER_RANGE=Const(self._dividers.filter, 3),
            i_PACKAGEPIN=self._pad.io, i_RESETB=Const(1), i_BYPASS=Const(0),
            o_PLLOUTGLOBAL=clock, o_LOCK=locked)
        m.d.comb += [ClockSignal().eq(clock), ClockSignal("power").eq(clock)]
        # iCE40 registers cannot start with 1.
        held, ready, count = Signal(2), Signal(), Signal(range(self._CYCLES + 1))
        m.d.power += [held.eq(held << 1 | (locked & ~self.button)), ready.eq(count == self._CYCLES)]
        with m.If(~held[1]):
            m.d.power += count.eq(0)
        with m.Elif(count != self._CYCLES):
            m.d.power += count.eq(count + 1)
        m.d.comb += ResetSignal().eq(~ready)
        platform.add_clock_constraint(clock, 1e6 * self._aim)
        return m
