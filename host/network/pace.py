# SPDX-License-Identifier: Apache-2.0
"""Inputs a second, end to end: time on the core and time of the transfers."""

from dataclasses import dataclass

__all__ = ["LINKS", "Clock", "Pace", "find_pace", "find_paces"]

#: Ways of an input to the core: by a processor on the AXI4-Lite port, or over a board's UART.
LINKS = ("bus", "uart")


@dataclass(frozen=True)
class Clock:
    """Clock of a core and rate of its link.

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
    """Time of one input after another: the host transfers, starts the core and waits.

    Parameters
    ----------
    link : str, one of ``LINKS``
    core, transfer : float, seconds on the core, and of the host's words in both directions
    """

    link:     str
    core:     float
    transfer: float

    @property
    def rate(self):
        """Inputs a second; transfers and computation do not overlap."""
        return 1 / (self.core + self.transfer)

    @property
    def limit(self):
        """The longer part: "core" or "transfer"."""
        return "core" if self.core >= self.transfer else "transfer"

    def as_json(self):
        """All values as JSON-serialisable values."""
        return {"core_seconds": self.core, "transfer_seconds": self.transfer, "rate": self.rate,
                "limit": self.limit}


def find_pace(cycles, traffic, clock, link):
    """Pace of an input.

    Parameters
    ----------
    cycles : int, cycles on the core
    traffic : Traffic of the input
    clock : Clock
    link : one of ``LINKS``
    """
    transfer = (traffic.bus_cycles / (1e6 * clock.mhz) if link == "bus"
                else traffic.seconds_at(clock.baud))
    return Pace(link, cycles / (1e6 * clock.mhz), transfer)


def find_paces(cycles, traffic, clock):
    """Paces over every one of ``LINKS``, a tuple."""
    return tuple(find_pace(cycles, traffic, clock, link) for link in LINKS)
