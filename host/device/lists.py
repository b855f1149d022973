# SPDX-License-Identifier: Apache-2.0
"""Command lists on devices: interface, result, and the golden machine."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from xymac.golden.machine.commands import run_list
from xymac.golden.machine.machine import Machine
from xymac.hdl.isa import COUNTERS, ListStatus, State

from .device import DeviceError

__all__ = ["ListDevice", "ListMachine", "ListResult"]


@dataclass(frozen=True)
class ListResult:
    """Final state of a command list.

    Parameters
    ----------
    state, status, entry : fields of the list status register
    counters : dict by ``COUNTERS``, from start to interrupt
    read, written : int, bytes of external memory
    """

    state:    State
    status:   ListStatus
    entry:    int
    counters: dict = field(default_factory=lambda: dict.fromkeys(COUNTERS, 0))
    read:     int = 0
    written:  int = 0

    def check(self):
        """Raise DeviceError unless the list ran to its end."""
        if self.state is not State.DONE:
            raise DeviceError(f"The command list stopped in state {self.state.name} at command "
                              f"{self.entry} with status {self.status.name}")


class ListDevice(ABC):
    """A core with a DMA and its external memory. Use it as a context manager, or close it.

    Parameters
    ----------
    config : CoreConfig with a DMA; ValueError without
    """

    def __init__(self, config):
        if not config.dma:
            raise ValueError(f"Size {config.name} has no DMA")
        self.config = config

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    @abstractmethod
    def run_list(self, image, first):
        """Run the command list at byte ``first`` of ``image``; returns a ListResult.

        ``image`` is a writable, contiguous uint8 array: all external memory that the core reaches.
        """

    @abstractmethod
    def close(self):
        """Release the device; it cannot be used afterwards."""


class ListMachine(ListDevice):
    """The golden machine, without a clock: its counters are 0.

    Attributes
    ----------
    machine : Machine
    """

    def __init__(self, config):
        super().__init__(config)
        self.machine = Machine(config)

    def run_list(self, image, first):
        """See ``ListDevice``; ``HazardError`` as in ``xymac.golden.machine.commands``."""
        outcome = run_list(self.machine, image, first)
        return ListResult(outcome.state, outcome.status, outcome.entry)

    def close(self):
        self.machine = None
