# SPDX-License-Identifier: Apache-2.0
"""``XymacCore``: the core as a LiteX module with registers on the bus, interrupt, memory port."""

from pathlib import Path

from amaranth.back import verilog
from litedram.frontend.axi import LiteDRAMAXI2Native
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect import axi
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, If, Instance, Signal

from xymac.boards.tools.settled import settle
from xymac.hdl.axi import CoreAxi
from xymac.hdl.config import find_size
from xymac.hdl.core.core import Core
from xymac.hdl.dma import CoreDma
from xymac.hdl.elaboration import quick_elaboration
from xymac.host.files import make_folder, write_file

__all__ = ["ADDRESS_SPACE", "XymacCore"]

ADDRESS_SPACE = 1 << 22  #: Bytes of the core's address space.
_CHANNELS = {"aw": ("addr", "prot"), "w": ("data", "strb"), "ar": ("addr", "prot"),
             "b": ("resp",), "r": ("data", "resp")}
_ANSWERS  = ("b", "r")
_BURST    = ("id", "addr", "len", "size", "burst")
_MASTER   = {"aw": _BURST, "w": ("data", "strb", "last"), "ar": _BURST, "b": ("id", "resp"),
             "r": ("id", "data", "resp", "last")}
_UNUSED   = {"prot": 0}  # LiteX's AXI4-Lite has no protection bits


class XymacCore(LiteXModule):
    """A core, any size, in a LiteX system; plain Verilog from Amaranth is added to the platform.

    Five lines in a design::

        self.xymac = XymacCore(platform, size="base")
        self.bus.add_slave("xymac", self.xymac.bus, XymacCore.region(0x9000_0000))
        self.irq.add("xymac", use_loc_if_exists=True)

    and for a size with a DMA, beside a LiteDRAM SDRAM without a cache::

        self.xymac.connect_memory(self)

    LiteX converts the bus if it is Wishbone. The C driver reaches the core at ``XYMAC_BASE``, see
    the generated ``mem.h``.

    Parameters
    ----------
    platform : LiteX platform, which receives the Verilog source
    size : str, see ``find_size``; InputError if unknown
    vendor : None or "ecp5", see ``CoreAxi``
    folder : folder for the Verilog file ``xymac_<size>.v``; made if missing

    Members
    -------
    bus : AXILiteInterface, 32 data bits, 4 MiB at a multiple of 4 MiB, not cached; it waits while
        the core is in reset, which lasts ``Core.RESET`` cycles more than the system's
    irq : Signal, level-sensitive
    memory : AXIInterface, AXI4 master for a size with a DMA; else None
    ev : EventManager with the level ``ev.done``, which the CPU enables
    """

    def __init__(self, platform, size="base", *, vendor=None, folder="build/litex"):
        config   = find_size(size)
        name     = f"xymac_{config.name}"
        self.bus = axi.AXILiteInterface(data_width=32, address_width=32)
        self.irq = Signal()
        self.ev  = EventManager()
        self.ev.done = EventSourceLevel(description="A program has ended, until CLEAR.")
        self.ev.finalize()
        self.comb += self.ev.done.trigger.eq(self.irq)
        resetting = self._reset()
        self.memory = config.dma and axi.AXIInterface(
            data_width=config.dma, address_width=32, id_width=1)
        master = dict(self._master_ports(resetting)) if config.dma else {}
        self.specials += Instance(
            name, i_clk=ClockSignal("sys"), i_rst=resetting, o_irq=self.irq,
            **dict(self._ports(resetting)), **master)
        platform.add_source(str(_write_core(config, name, vendor, Path(folder))))

    @staticmethod
    def region(origin):
        """The core's SoCRegion for ``bus.add_slave``; ``origin`` is a multiple of 4 MiB."""
        return SoCRegion(origin=origin, size=ADDRESS_SPACE, cached=False)

    def connect_memory(self, system):
        """Give the DMA its own port to ``system.sdram``, the SDRAM.

        Image addresses equal processor addresses. A cache between the processor and the SDRAM would
        hide the other side's writes: ``add_sdram`` needs ``l2_cache_size=0``. ValueError for a size
        without a DMA.
        """
        if not self.memory:
            raise ValueError("A core without a DMA has no memory port: its size needs dma=32, 64 "
                             "or 128")
        port = system.sdram.crossbar.get_port(data_width=self.memory.data_width)
        self.memory_port = LiteDRAMAXI2Native(
            self.memory, port, base_address=system.bus.regions["main_ram"].origin)

    def _master_ports(self, resetting):
        """Instance arguments for the AXI4 master."""
        yield "i_bus_reset", resetting
        for channel, fields in _MASTER.items():
            endpoint = getattr(self.memory, channel)
            ours, its = ("i", "o") if channel in _ANSWERS else ("o", "i")
            yield f"{ours}_m_axi_{channel}valid", endpoint.valid
            yield f"{its}_m_axi_{channel}ready", endpoint.ready
            for field in fields:
                yield f"{ours}_m_axi_{channel}{field}", getattr(endpoint, field)

    def _reset(self):
        """The core's reset signal, which extends the system's reset to the core's length."""
        left, resetting = Signal(max=Core.RESET + 1, reset=Core.RESET), Signal(reset=1)
        self.sync += If(left != 0, left.eq(left - 1)).Else(resetting.eq(0))
        return resetting

    def _ports(self, resetting):
        """Instance arguments for the AXI4-Lite ports."""
        for channel, fields in _CHANNELS.items():
            endpoint, answers = getattr(self.bus, channel), channel in _ANSWERS
            ours, its = ("o", "i") if answers else ("i", "o")
            driven, driver = ((endpoint.valid, endpoint.ready) if answers else
                              (endpoint.ready, endpoint.valid))
            valid, ready = Signal(), Signal()
            self.comb += driven.eq((valid if answers else ready) & ~resetting)
            self.comb += (ready if answers else valid).eq(driver & ~resetting)
            yield f"{ours}_s_axi_{channel}valid", valid
            yield f"{its}_s_axi_{channel}ready", ready
            for field in fields:
                signal = _UNUSED.get(field)
                signal = getattr(endpoint, field) if signal is None else signal
                signal = signal[:ADDRESS_SPACE.bit_length() - 1] if field == "addr" else signal
                yield f"{ours}_s_axi_{channel}{field}", signal


@quick_elaboration()
def _write_core(config, name, vendor, folder):
    """Write the core's Verilog file in ``folder``; returns its path."""
    make_folder(folder)
    path = folder.resolve() / f"{name}.v"
    kind = CoreDma if config.dma else CoreAxi
    write_file(path, settle(verilog.convert(kind(config, vendor=vendor), name=name,
                                            emit_src=False)))
    return path
