# SPDX-License-Identifier: Apache-2.0
"""Inputs per second, end to end: core time and transfer time."""

from dataclasses import dataclass

from xymac.hdl.config import change_size
from xymac.host.errors import InputError
from xymac.host.image.build import build_image
from xymac.host.image.cycles import predict_list
from xymac.host.image.external import ExternalMemory

from .linker import compile_network

__all__ = ["DMA", "DMA_BITS", "LINKS", "CoreClock", "Pace", "find_dma_pace", "find_pace",
           "find_paces", "pace_of_list", "predict_dma"]

DMA      = "dma"  #: Link of a core with a DMA, see ``predict_dma``.
DMA_BITS = 32  #: DMA width for a core without a DMA, bits.

#: Links from a host to the core: a processor on the AXI4-Lite port, or a board's UART.
LINKS = ("bus", "uart")


@dataclass(frozen=True)
class CoreClock:
    """Clock frequency of a core and baud rate of its link.

    Parameters
    ----------
    mhz : float, frequency of the core and its bus, MHz
    baud : int, UART rate, bits per second
    board : str, board name; empty without a board
    """

    mhz:   float
    baud:  int
    board: str = ""

    def __str__(self):
        return f"{self.mhz:g} MHz" + f" ({self.board})" * bool(self.board)

    def milliseconds(self, cycles):
        """Duration of ``cycles``, ms."""
        return cycles / (1e3 * self.mhz)


@dataclass(frozen=True)
class Pace:
    """Time per input, for inputs that follow each other.

    Parameters
    ----------
    link : str, a host's link from ``LINKS``, or ``DMA``
    core : float, core time, seconds
    transfer : float, transfer time in both directions, seconds
    hidden : float, transfer time during the computation, seconds; 0 for a host, which transfers
        inputs, starts the core and waits
    """

    link:     str
    core:     float
    transfer: float
    hidden:   float = 0.0

    @property
    def rate(self):
        """Inputs per second, transfers included."""
        return 1 / (self.core + self.transfer - self.hidden)

    @property
    def limit(self):
        """The longer part: "core" or "transfer"."""
        return "core" if self.core >= self.transfer else "transfer"

    def as_json(self):
        """All times, the rate and the limit as a JSON-serialisable dict."""
        return {"core_seconds": self.core, "transfer_seconds": self.transfer,
                "hidden_seconds": self.hidden, "rate": self.rate, "limit": self.limit}


def find_pace(cycles, traffic, clock, link):
    """The Pace over a host's link.

    Parameters
    ----------
    cycles : int, cycles on the core
    traffic : Traffic of the input
    clock : CoreClock
    link : str from ``LINKS``
    """
    transfer = (traffic.bus_cycles / (1e6 * clock.mhz) if link == "bus"
                else traffic.seconds_at(clock.baud))
    return Pace(link, cycles / (1e6 * clock.mhz), transfer)


def find_paces(cycles, traffic, clock):
    """Paces over all ``LINKS``, a tuple."""
    return tuple(find_pace(cycles, traffic, clock, link) for link in LINKS)


def pace_of_list(predicted, clock):
    """The Pace of a command list with the ListCycles ``predicted``."""
    core, transfer, hidden = (cycles / (1e6 * clock.mhz) for cycles in (
        predicted.core, predicted.cycles - predicted.core + predicted.hidden, predicted.hidden))
    return Pace(DMA, core, transfer, hidden)


def predict_dma(network, config, memory=None):
    """Predicted ListCycles per input of a Network on a core with a DMA.

    Parameters
    ----------
    config : CoreConfig; gets a DMA with ``DMA_BITS`` if it has none
    memory : ExternalMemory; None for a 16-bit SDRAM at the core's clock

    Returns None if the core cannot have a DMA, or the network cannot have an image.
    """
    memory = memory or ExternalMemory()
    try:
        config = config if config.dma else change_size(config, dma=DMA_BITS)
        image  = build_image(compile_network(network, config, cascades=True), config, memory)
    except (InputError, ValueError):  # the compact core has no DMA
        return None
    return predict_list(image.run.ordered, config, memory)


def find_dma_pace(network, config, clock, memory=None):
    """The Pace with a DMA; arguments and None as for ``predict_dma``."""
    predicted = predict_dma(network, config, memory)
    return None if predicted is None else pace_of_list(predicted, clock)
