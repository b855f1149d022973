# SPDX-License-Identifier: Apache-2.0
"""ROM words for a bus master in Verilog: host accesses to a core as instructions."""

from enum import Enum

import numpy as np

from xymac.hdl.isa import COUNTERS, REGISTERS, Control, Region, Register, State, Status
from xymac.host.device.device import DeviceError
from xymac.host.device.registers import RegisterDevice

__all__ = ["MasterOpcode", "RomDevice"]

_WORD   = 4     # bytes
_WHOLE  = 0xF   # strobe of a word
_SHORT  = 8     # fewer equal words are not worth a FILL instruction
#: Lower byte of STATUS after a successful program.
_REPORT = REGISTERS[Register.STATUS].pack(state=State.DONE.value, status=Status.OK.value)


class MasterOpcode(Enum):
    """Instructions in ``boards/soc/xymac_soc_master.v``, which documents their operands.

    SCATTERX and GATHERX invert the highest bit of every element.
    """

    PAUSE   = 0
    WRITE   = 1
    FILL    = 2
    WAIT    = 3
    CHECK   = 4
    READ    = 5
    SCATTER = 6
    GATHER  = 7

    SCATTERX = 14
    GATHERX  = 15


class RomDevice(RegisterDevice):
    """A device that records its accesses as instructions; a master that executes them does the same
    to a core.

    Parameters
    ----------
    config : CoreConfig
    counters : int, the first run's counters' RAM byte address; later runs follow

    Attributes
    ----------
    instructions : list of (words, description: str)
    counter_bytes : int, a run's counter size
    """

    counter_bytes = _WORD * len(COUNTERS)

    def __init__(self, config, counters):
        super().__init__(config)
        self.instructions, self._counters = [], counters

    @property
    def size(self):
        """Words so far."""
        return sum(len(words) for words, _ in self.instructions)

    @property
    def words(self):
        """All words, an array of uint32."""
        return np.array([word for words, _ in self.instructions for word in words], np.uint32)

    def check_core(self):
        """Make the master compare all identification registers with the core's."""
        for offset, word in self.config.capabilities.words().items():
            self._check(Register(offset), 0xFFFF_FFFF, word)

    def pause(self, target=None):
        """Make the master wait, and continue at word ``target``, or with the next word."""
        behind = self.size + 2
        self._add(MasterOpcode.PAUSE, [behind if target is None else target], "until go")

    def copy(self, opcode, pairs, item, name):
        """SCATTER or GATHER elements, or SCATTERX or GATHERX them, with ``item`` bytes.

        ``pairs`` is an array with two columns: byte address in the core, byte address in the RAM;
        ``name`` describes them.
        """
        if len(pairs):
            self._add(opcode, pairs.ravel().tolist(), name, strobe=(1 << item) - 1,
                      count=len(pairs))

    def run(self, first=0, max_cycles=None):
        """Record a run: start, wait, check the status, store the counters, clear."""
        self.start(first)
        self._add(MasterOpcode.WAIT, [], "for the interrupt")
        self._check(Register.STATUS, 0xFF, _REPORT)
        self._add(MasterOpcode.READ, [_address(Register.CYCLES), self._counters], "counters",
                  strobe=_WHOLE, count=len(COUNTERS))
        self._counters += self.counter_bytes
        self._write_register(Register.CONTROL, Control.CLEAR.value)

    def close(self):
        """Nothing to close."""

    def _add(self, opcode, operands, name, *, strobe=0, count=0):
        head = opcode.value << 28 | strobe << 24 | count
        self.instructions.append(([head, *operands], f"{opcode.name} {name}"))

    def _check(self, register, mask, value):
        self._add(MasterOpcode.CHECK, [_address(register), mask, value], register.name)

    def _write_words(self, address, words, first_mask=_WHOLE, last_mask=_WHOLE):
        words = np.asarray(words)
        masks = np.full(len(words), _WHOLE)
        masks[0]  &= first_mask
        masks[-1] &= last_mask
        for start, end in _stretches(words, masks):
            self._write(address + _WORD * start, words[start:end], int(masks[start]))

    def _write(self, address, words, mask):
        start  = max(region.value for region in Region if region.value <= address)
        offset = address - start
        same   = len(words) >= _SHORT and (words == words[0]).all()
        self._add(MasterOpcode.FILL if same else MasterOpcode.WRITE,
                  [address, *words[:1 if same else None].tolist()],
                  f"{len(words)} to {Region(start).name} + 0x{offset:X}", strobe=mask,
                  count=len(words))

    def _read_words(self, address, count):
        raise DeviceError("A list of instructions has nothing to read")


def _address(register):
    return Region.REGISTERS.value + register.value


def _stretches(words, masks):
    """(start, end) ranges with a common mask: repeated equal words, or other words."""
    edges = np.flatnonzero((np.diff(words) != 0) | (np.diff(masks) != 0)) + 1
    runs  = list(zip([0, *edges.tolist()], [*edges.tolist(), len(words)], strict=True))
    start = 0
    for first, end in runs:
        long = end - first >= _SHORT
        if start < first and (long or masks[first] != masks[start]):
            yield start, first
            start = first
        if long:
            yield first, end
            start = end
    if start < len(words):
        yield start, len(words)
