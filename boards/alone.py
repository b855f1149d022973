# SPDX-License-Identifier: Apache-2.0
"""The core alone, out of context, as a design for ECP5 tools."""

from amaranth import ClockDomain, ClockSignal, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from xymac.hdl.core.core import Core
from xymac.hdl.dma import DmaCore

from .tools.flow import Flow, Part
from .tools.rtlil import rtlil_of

__all__ = ["DEVICES", "TARGETS", "core_flow", "plain_source", "target_of"]

CLOCK   = "clk_in"  #: Clock port of the top module.
# Pads lie anywhere, except the clock: from another pin it may not reach the global network.
# nextpnr's own --out-of-context keeps it off this network (0.11.1 routes it through the fabric with
# 4 ns of skew).
DEVICES = {
    "ecp5-25k": (Part("LFE5U-25F", ("--25k", "--package", "CABGA381", "--speed", "6")), "G2"),
    "ecp5-85k": (Part("LFE5U-85F", ("--85k", "--package", "CABGA756", "--speed", "6")), "P5"),
}
#: Target clock of place and route by MACs per lane, MHz: a little more than it
#: should reach.
TARGETS = {1: 128.0, 2: 128.0, 4: 118.0}


class _Registered(wiring.Component):
    """A core with a register at every port, as between the registers of a design.

    It starts from the bitstream's register values, without a routed reset. The registers hold a
    handshake for a cycle too long: the design is placed and routed, and never runs.

    Members
    -------
    The core's members, and ``CLOCK`` : In(1)
    """

    def __init__(self, core):
        self._core = core
        super().__init__({**core.signature.members, CLOCK: In(1)})

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain(reset_less=True)
        m.submodules.core = core = self._core
        m.d.comb += ClockSignal().eq(getattr(self, CLOCK))
        ports = zip(core.signature.flatten(self), core.signature.flatten(core), strict=True)
        for (_, _, mine), (_, member, its) in ports:
            m.d.sync += its.eq(mine) if member.flow is In else mine.eq(its)
        return m


def _core(config, **options):
    """A size's component, with its DMA, if any."""
    return (DmaCore if config.dma else Core)(config, **options)


def core_flow(config, device, freq=None):
    """Flow to implement a core alone, out of context, in a device from ``DEVICES``.

    ``freq`` is the target clock, MHz; None for ``target_of`` the size.
    """
    part, pin = DEVICES[device]
    top = f"xymac_{config.name}"
    return Flow(rtlil_of(_Registered(_core(config, vendor="ecp5")), top), top=top, ways=config.ways,
                part=part, pins=f'LOCATE COMP "{CLOCK}" SITE "{pin}";\n',
                options=("--lpf-allow-unconstrained", "--freq",
                         f"{float(freq or target_of(config))}"))


def plain_source(config):
    """A core's RTLIL for any FPGA, without vendor cells."""
    return rtlil_of(_Registered(_core(config)), f"xymac_{config.name}")


def target_of(config):
    """A core's target clock, MHz; see ``TARGETS``."""
    return TARGETS[config.ways]
