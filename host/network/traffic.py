"""Words between a host and a core for one input of a network."""

import numpy as np

from hdl.isa import COUNTERS, Flag, State, Status
from host.device.device import MachineDevice, RunResult
from host.device.registers import RegisterDevice
from host.errors import InputError

from .compiler import compile_network
from .driver import Driver

__all__ = ["count_words"]


class _Counter(RegisterDevice):
    """A device that computes nothing, and counts the words that are written and read."""

    words = 0

    def _write_words(self, address, words, first_mask=0xF, last_mask=0xF):
        self.words += len(words)

    def _read_words(self, address, count):
        self.words += count
        return np.zeros(count, np.uint32)

    def run(self, first=0, max_cycles=None):
        """A run to its end, of which no word is counted."""
        return RunResult(State.DONE, Status.OK, 0, 0, Flag(0), dict.fromkeys(COUNTERS, 0), [])

    def close(self):
        """Nothing."""


def count_words(network, config):
    """Words of 32 bits that a driver of the compiled network writes and reads for one input.

    Beside the input and the outputs these are the programs, constants and values in between of a
    network that the memories of the CoreConfig do not hold as a whole. What is written once for all
    inputs is not counted, nor registers. None if a driver has no form for one of the values.
    """
    with MachineDevice(config) as device:
        try:
            driver = Driver(compile_network(network, device))
        except InputError:
            return None
    counter = _Counter(config)
    driver.load(counter)
    counter.words = 0
    driver.run(counter, *(blank.data for blank in driver.inputs))
    return counter.words
