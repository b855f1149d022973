# SPDX-License-Identifier: Apache-2.0
"""External memory timing, and transfer timing."""

from dataclasses import dataclass, fields, replace

import numpy as np

from xymac.hdl.isa import COMMAND_BYTES, Opcode, Region

__all__ = ["ExternalMemory", "count_accesses", "parse_memory"]

_MOST      = 1_000_000
_WIDTHS    = 8, 16, 32, 64, 128  # bits
_LEAST_ROW = 64  # bytes
_BURST     = 16  # beats
_AHEAD     = 8   # bursts that are requested and not yet answered
_WORD      = 4   # bytes that lie together
_BEGIN     = 12  # cycles of a transfer beside its data and the latency of the memory


@dataclass(frozen=True)
class ExternalMemory:
    """A memory with an open row, like an SDRAM, at the core clock.

    Parameters
    ----------
    width : int, data bits per cycle
    latency : int, cycles from a read's address to its first data
    miss : int, additional cycles for an access to another row
    row : int, bytes per row
    refresh_every, refresh : int, cycles between refreshes (0 for none), and cycles per refresh
    """

    width:   int = 16
    latency: int = 12
    miss:    int = 6
    row:     int = 1024
    refresh_every: int = 780
    refresh:       int = 8

    def cycles(self, move, config):
        """Predicted cycles for a Move on a CoreConfig, from its command fetch to its end.

        The slowest rate counts: memory, port into the core, or bursts that the memory accepts
        ahead. Open rows and refreshes are added.
        """
        if move.opcode is Opcode.FILL:
            return _BEGIN + count_accesses(move, config)
        sizes  = _beats(move, config.dma // 8)
        beats  = int(sizes.sum())
        rates  = (beats * max(1, config.dma // self.width), self._port(move, sizes, config),
                  (int((-(-sizes // _BURST)).sum()) * self.latency + 3 * beats) // _AHEAD)
        rows   = self._rows(move)
        cycles = max(rates) + self.miss * rows + self.fetch
        if self.refresh_every:
            cycles += cycles // self.refresh_every * (self.refresh + self.miss)
        return cycles + self.latency + _BEGIN

    @property
    def fetch(self):
        """Memory cycles for a command."""
        return COMMAND_BYTES * 8 // self.width

    def ahead(self, config):
        """Cycles of the data that a load requests before the first data arrive."""
        return _AHEAD * _BURST * max(1, config.dma // self.width)

    @staticmethod
    def _port(move, sizes, config):
        """Cycles of the port into the core."""
        if move.opcode is Opcode.STORE or len(sizes) == 1:
            return count_accesses(move, config)
        return max(2 * move.rows, count_accesses(move, config))

    def _rows(self, move):
        """Memory rows opened by a Move."""
        reach = move.bytes if _is_dense(move) else move.rows * min(abs(move.stride), self.row)
        return 1 + reach // self.row


def count_accesses(move, config):
    """Cycles in which a Move writes to the core, or in which it reads X, every other cycle.

    An access has ``ways`` elements or row words; two words come per cycle.
    """
    rows = move.rows * -(-move.size // _WORD)
    if move.region not in (Region.X, Region.Y):
        return 2 * rows
    if move.opcode is Opcode.STORE:
        return rows * (8 if move.narrow else 4) // config.ways + rows // 10 * (not move.narrow)
    return max(rows, rows * (4 if move.narrow else 2) // config.ways)


def _is_dense(move):
    return move.rows == 1 or move.stride == move.size


def _beats(move, beat):
    """Beats per row on the port, adjacent rows together: int array."""
    if _is_dense(move) and (move.rows == 1 or move.opcode is Opcode.LOAD):
        return np.array([-(-(move.external % beat + move.bytes) // beat)])
    starts = (move.external + move.stride * np.arange(move.rows)) % beat
    return -(-(starts + move.size) // beat)


def parse_memory(text):
    """ExternalMemory from the fields different from the default, as in ``width=32,latency=20``.

    ValueError (a single sentence) for an unknown field or a value out of range.
    """
    names, values = [field.name for field in fields(ExternalMemory)], {}
    for word in text.split(","):
        name, _, value = word.partition("=")
        if name not in names:
            raise ValueError(f"a field of the memory must be {', '.join(names)}, not {name!r}")
        if not value.isdigit() or int(value) > _MOST:
            raise ValueError(f"{name} must be between 0 and {_MOST:,}, not {value!r}")
        values[name] = int(value)
    memory = replace(ExternalMemory(), **values)
    if memory.width not in _WIDTHS:
        raise ValueError(f"width must be {', '.join(map(str, _WIDTHS))}, not {memory.width}")
    if memory.row < _LEAST_ROW:
        raise ValueError(f"row must be at least {_LEAST_ROW}, not {memory.row}")
    if memory.refresh_every and memory.refresh_every <= memory.refresh:
        raise ValueError(f"refresh_every must be 0 or more than refresh, {memory.refresh}, not "
                         f"{memory.refresh_every}")
    return memory
