# SPDX-License-Identifier: Apache-2.0
"""Inputs a second, end to end: time on the core and time of the transfers."""

from dataclasses import dataclass

from xymac.hdl.config import change_size
from xymac.host.errors import InputError
from xymac.host.image.build import build_image
from xymac.host.image.cycles import predict_list
from xymac.host.image.external import ExternalMemory

from .linker import compile_network

__all__ = ["DMA", "DMA_BITS", "LINKS", "CoreClock", "Pace", "find_dma_pace", "find_pace",
           "find_paces", "pace_of_list", "predict_dma"]

DMA      = "dma"  #: Link of an image, see ``predict_dma``.
DMA_BITS = 32  #: Data bits of the DMA of ``find_dma_pace``.

#: Ways of an input to the core: by a processor on the AXI4-Lite port, or over a board's UART.
LINKS = ("bus", "uart")


@dataclass(frozen=True)
class CoreClock:
    """CoreClock of a core and rate of its link.

    Parameters
    ----------
    mhz : float, of the core and its bus
    baud : int, bits a second of the UART
    board : str, name of the board; empty without
    """

    mhz:   float
    baud:  int
    board: str = ""

    def __str__(self):
        return f"{self.mhz:g} MHz" + f" ({self.board})" * bool(self.board)

    def milliseconds(self, cycles):
        """Time of so many cycles, ms."""
        return cycles / (1e3 * self.mhz)


@dataclass(frozen=True)
class Pace:
    """Time of one input after another.

    Parameters
    ----------
    link : str, one of ``LINKS``, where a host transfers, starts the core and waits; or "dma"
    core, transfer : float, seconds on the core, and of the transfers in both directions
    hidden : float, seconds of transfers beside the computation; 0 for a host
    """

    link:     str
    core:     float
    transfer: float
    hidden:   float = 0.0

    @property
    def rate(self):
        """Inputs a second, transfers included."""
        return 1 / (self.core + self.transfer - self.hidden)

    @property
    def limit(self):
        """The longer part: "core" or "transfer"."""
        return "core" if self.core >= self.transfer else "transfer"

    def as_json(self):
        """All values as JSON-serialisable values."""
        return {"core_seconds": self.core, "transfer_seconds": self.transfer,
                "hidden_seconds": self.hidden, "rate": self.rate, "limit": self.limit}


def find_pace(cycles, traffic, clock, link):
    """Pace of an input.

    Parameters
    ----------
    cycles : int, cycles on the core
    traffic : Traffic of the input
    clock : CoreClock
    link : one of ``LINKS``
    """
    transfer = (traffic.bus_cycles / (1e6 * clock.mhz) if link == "bus"
                else traffic.seconds_at(clock.baud))
    return Pace(link, cycles / (1e6 * clock.mhz), transfer)


def find_paces(cycles, traffic, clock):
    """Paces over every one of ``LINKS``, a tuple."""
    return tuple(find_pace(cycles, traffic, clock, link) for link in LINKS)


def pace_of_list(predicted, clock):
    """Pace of a command list from its ListCycles."""
    core, transfer, hidden = (cycles / (1e6 * clock.mhz) for cycles in (
        predicted.core, predicted.cycles - predicted.core + predicted.hidden, predicted.hidden))
    return Pace(DMA, core, transfer, hidden)


def predict_dma(network, config, memory=None):
    """Predicted ListCycles of a Network's input on a core with a DMA.

    Parameters
    ----------
    config : CoreConfig; without a DMA, one of ``DMA_BITS`` bits is added
    memory : ExternalMemory; None for an SDRAM of 16 bits at the core's clock

    None if the core can have no DMA, or the network no image.
    """
    memory = memory or ExternalMemory()
    try:
        config = config if config.dma else change_size(config, dma=DMA_BITS)
        image  = build_image(compile_network(network, config, cascades=True), config, memory)
    except (InputError, ValueError):  # of the compact core
        return None
    return predict_list(image.run.ordered, config, memory)


def find_dma_pace(network, config, clock, memory=None):
    """Pace of ``predict_dma``; None as there."""
    predicted = predict_dma(network, config, memory)
    return None if predicted is None else pace_of_list(predicted, clock)
