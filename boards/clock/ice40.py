# SPDX-License-Identifier: Apache-2.0
"""Clock and reset of a design in an iCE40."""

from dataclasses import dataclass

from amaranth import ClockDomain, ClockSignal, Const, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from xymac.host.errors import InputError

__all__ = ["Ice40Clock", "Ice40Dividers", "find_ice40_dividers"]

# Limits of the PLL, MHz. Source: Lattice FPGA-DS-02008, sysCLOCK PLL timing.
_PHASE = 10.0, 133.0
_VCO   = 533.0, 1066.0
_RANGE = (17, 26, 44, 66, 101, 133)  # MHz of the phase comparison up to which a filter serves


@dataclass(frozen=True)
class Ice40Dividers:
    """What a PLL is set to: output = source * (``feedback`` + 1) / 2 ** ``output``."""

    feedback: int
    output:   int
    filter:   int


def find_ice40_dividers(source, target):
    """Dividers that make ``target`` of ``source``, both MHz, exactly; InputError if none do."""
    for output in range(1, 7):
        feedback = round(target * 2 ** output / source) - 1
        exact = abs(source * (feedback + 1) / 2 ** output - target) < 1e-6
        if (exact and 0 <= feedback <= 127 and _PHASE[0] <= source <= _PHASE[1]
                and _VCO[0] <= target * 2 ** output <= _VCO[1]):
            return Ice40Dividers(feedback, output,
                                 1 + next(i for i, limit in enumerate(_RANGE) if source < limit))
    raise InputError(f"No PLL of an iCE40 makes {target:g} MHz of {source:g} MHz")


class Ice40Clock(wiring.Component):
    """Make the clock of the domain ``sync`` of a crystal's, and reset the domain.

    It is reset until the PLL has locked, while the button is pressed, and some cycles longer.

    Parameters
    ----------
    pad : port of the crystal's clock, on a pin of the PLL
    source, target : float, MHz, of the crystal and of the domain; InputError, see
        ``find_ice40_dividers``
    aim : float, MHz, that placement and routing aim for in the domain

    Members
    -------
    button : In(1), of any clock
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
        # No register of an iCE40 begins with a 1.
        held, ready, count = Signal(2), Signal(), Signal(range(self._CYCLES + 1))
        m.d.power += [held.eq(held << 1 | (locked & ~self.button)), ready.eq(count == self._CYCLES)]
        with m.If(~held[1]):
            m.d.power += count.eq(0)
        with m.Elif(count != self._CYCLES):
            m.d.power += count.eq(count + 1)
        m.d.comb += ResetSignal().eq(~ready)
        platform.add_clock_constraint(clock, 1e6 * self._aim)
        return m
