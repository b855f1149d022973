# SPDX-License-Identifier: Apache-2.0
"""The core alone, out of context, as a design for the tools of an ECP5."""

from amaranth import ClockDomain, ClockSignal, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from xymac.hdl.core.core import Core

from .tools.flow import Flow, Part
from .tools.rtlil import rtlil_of

__all__ = ["DEVICES", "TARGETS", "core_flow", "plain_source", "target_of"]

CLOCK   = "clk_in"  #: The port of the top that is the clock.
# Pads lie where they like, but for the clock: one that comes in anywhere else may not reach the
# global network. nextpnr's own --out-of-context keeps it off that (0.11.1 routes it through the
# fabric with 4 ns of skew).
DEVICES = {
    "ecp5-25k": (Part("LFE5U-25F", ("--25k", "--package", "CABGA381", "--speed", "6")), "G2"),
    "ecp5-85k": (Part("LFE5U-85F", ("--85k", "--package", "CABGA756", "--speed", "6")), "P5"),
}
#: Clock that placement and routing aim for by the ways of a core, MHz: a little more than it
#: should reach.
TARGETS = {1: 128.0, 2: 128.0, 4: 118.0}


class _PowerOn(wiring.Component):
    """A core that starts from the values of the bitstream: no reset is routed to every register.

    Members
    -------
    Those of the core, and ``CLOCK`` : In(1)
    """

    def __init__(self, core):
        self._core = core
        super().__init__({**core.signature.members, CLOCK: In(1)})

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain(reset_less=True)
        m.submodules.core = core = self._core
        wiring.connect(m, wiring.flipped(self.request), core.request)
        wiring.connect(m, core.response, wiring.flipped(self.response))
        m.d.comb += [ClockSignal().eq(getattr(self, CLOCK)), self.irq.eq(core.irq),
                     self.state.eq(core.state)]
        return m


def core_flow(config, device, freq=None):
    """The Flow that puts the core of a CoreConfig alone, out of context, into one of ``DEVICES``.

    ``freq`` is the clock to aim for, MHz; ``target_of`` the size if None.
    """
    part, pin = DEVICES[device]
    top = f"xymac_{config.name}"
    return Flow(rtlil_of(_PowerOn(Core(config, vendor="ecp5")), top), top=top, ways=config.ways,
                part=part, pins=f'LOCATE COMP "{CLOCK}" SITE "{pin}";\n',
                options=("--lpf-allow-unconstrained", "--freq",
                         f"{float(freq or target_of(config))}"))


def plain_source(config):
    """RTLIL of the core of a CoreConfig for any FPGA, with nothing in it that one vendor has."""
    return rtlil_of(_PowerOn(Core(config)), f"xymac_{config.name}")


def target_of(config):
    """Clock that a core of a CoreConfig should reach nearly, MHz; see ``TARGETS``."""
    return TARGETS[config.ways]
