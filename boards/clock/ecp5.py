# SPDX-License-Identifier: Apache-2.0
"""Clock and reset for an ECP5 design: a PLL, and the device's global reset."""

from dataclasses import dataclass

from amaranth import ClockDomain, ClockSignal, Const, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from xymac.host.errors import InputError

__all__ = ["GLOBAL_RESET", "Clock", "Dividers", "find_dividers"]

# Limits of the PLL, MHz. Source: Lattice FPGA-DS-02012, sysCLOCK PLL timing.
_PHASE    = 3.125, 400.0
_VCO      = 400.0, 800.0
_DIVIDERS = {"reference": 128, "feedback": 80, "output": 128}

#: Global reset cell in RTLIL, which reaches every register through a dedicated network. The
#: registers of the domain then have no routed reset.
GLOBAL_RESET = r"""
module \global_reset
  wire input 1 \clear
  wire output 2 \reset
  wire \inverted
  cell $not \invert
    parameter \A_SIGNED 0
    parameter \A_WIDTH 1
    parameter \Y_WIDTH 1
    connect \A \clear
    connect \Y \inverted
  end
  attribute \keep 1
  cell \GSR \gsr
    connect \GSR \inverted
  end
  connect \reset 1'0
end
"""


@dataclass(frozen=True)
class Dividers:
    """PLL dividers: output = source * feedback / reference, its VCO at output * ``output``."""

    reference: int
    feedback:  int
    output:    int


def find_dividers(source, target):
    """Dividers that make exactly ``target`` from ``source``, both MHz; InputError if there are
    none.

    Among several solutions it selects the fastest phase comparison, then the VCO nearest to its
    centre.
    """
    choices = []
    for reference in range(1, _DIVIDERS["reference"] + 1):
        feedback = round(target * reference / source)
        exact = abs(source * feedback / reference - target) < 1e-6
        if (exact and 1 <= feedback <= _DIVIDERS["feedback"]
                and _PHASE[0] <= source / reference <= _PHASE[1]):
            output = round(sum(_VCO) / 2 / target)
            if (1 <= output <= _DIVIDERS["output"] and _VCO[0] <= output * target <= _VCO[1]):
                choices.append(Dividers(reference, feedback, output))
    if not choices:
        raise InputError(f"No PLL of an ECP5 makes {target:g} MHz of {source:g} MHz")
    return choices[0]


class Clock(wiring.Component):
    """Make the clock of the domain ``sync`` from a crystal clock, and reset the domain by a button.

    The clock stops until the PLL has locked and while the button is pressed. It restarts after the
    device reset has begun and ended, so the order in which the reset reaches the registers does not
    matter. The few registers here run on the crystal clock and are exempt from the reset.

    Parameters
    ----------
    source, target : float, MHz, crystal clock and domain clock; InputError, see ``find_dividers``
    aim : float, place and route target clock for the domain, MHz

    Members
    -------
    source : In(1), crystal clock; button : In(1), asynchronous
    """

    _STILL, _CLEAR, _AGAIN = 16, 48, 63  # crystal cycles: reset begins, reset ends, clock restarts

    source: In(1)
    button: In(1)

    def __init__(self, *, source, target, aim):
        self._dividers, self._aim = find_dividers(source, target), aim
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.domains.crystal = ClockDomain(local=True, reset_less=True)
        m.d.comb += ClockSignal("crystal").eq(self.source)
        output, locked = Signal(), Signal()
        m.submodules.pll = self._pll(output, locked)

        def keep(shape=1, **kwargs):
            return Signal(shape, attrs={"nogsr": 1}, **kwargs)

        unlocked, pressed = keep(init=1), keep(init=1)
        first = [keep(init=1, name=f"first{number}") for number in range(2)]
        m.d.crystal += [first[0].eq(~locked), first[1].eq(self.button),
                        unlocked.eq(first[0]), pressed.eq(first[1])]
        count, clear, run = keep(range(self._AGAIN + 1)), keep(), keep()
        m.d.crystal += [clear.eq((count >= self._STILL) & (count < self._CLEAR)),
                        run.eq(count == self._AGAIN)]
        with m.If(unlocked | pressed):
            m.d.crystal += count.eq(0)
        with m.Elif(count != self._AGAIN):
            m.d.crystal += count.eq(count + 1)
        gated = Signal()
        m.submodules.gate  = Instance("DCCA", i_CLKI=output, i_CE=run, o_CLKO=gated)
        m.d.comb += ClockSignal().eq(gated)
        platform.add_clock_constraint(gated, 1e6 * self._aim)
        m.submodules.reset = Instance("global_reset", i_clear=clear, o_reset=ResetSignal())
        return m

    def _pll(self, output, locked):
        """The PLL with Lattice's settings for a single output with feedback."""
        dividers = self._dividers
        parameters = {
            "PLLRST_ENA": "DISABLED", "INTFB_WAKE": "DISABLED", "STDBY_ENABLE": "DISABLED",
            "DPHASE_SOURCE": "DISABLED", "OUTDIVIDER_MUXA": "DIVA", "OUTDIVIDER_MUXB": "DIVB",
            "OUTDIVIDER_MUXC": "DIVC", "OUTDIVIDER_MUXD": "DIVD", "FEEDBK_PATH": "CLKOP",
            "CLKOP_ENABLE": "ENABLED", "CLKI_DIV": dividers.reference,
            "CLKFB_DIV": dividers.feedback, "CLKOP_DIV": dividers.output,
            "CLKOP_CPHASE": dividers.output // 2, "CLKOP_FPHASE": 0}
        attributes = {"ICP_CURRENT": "12", "LPF_RESISTOR": "8", "MFG_ENABLE_FILTEROPAMP": "1",
                      "MFG_GMCREF_SEL": "2"}
        inputs = {**dict.fromkeys(("RST", "STDBY", "PHASESEL0", "PHASESEL1", "PLLWAKESYNC",
                                   "ENCLKOP"), Const(0)),
                  **dict.fromkeys(("PHASEDIR", "PHASESTEP", "PHASELOADREG"), Const(1)),
                  "CLKI": self.source, "CLKFB": output}
        return Instance("EHXPLLL", **{f"p_{name}": value for name, value in parameters.items()},
                        **{f"a_{name}": value for name, value in attributes.items()},
                        **{f"i_{name}": value for name, value in inputs.items()},
                        o_CLKOP=output, o_LOCK=locked)
