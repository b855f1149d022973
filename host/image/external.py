# SPDX-License-Identifier: Apache-2.0
"""Timing of an external memory, and of transfers to and from it."""

from dataclasses import dataclass, fields, replace

from xymac.hdl.isa import Opcode

__all__ = ["ExternalMemory", "parse_memory"]

_MOST      = 1_000_000
_WIDTHS    = 8, 16, 32, 64, 128  # bits
_LEAST_ROW = 64  # bytes


@dataclass(frozen=True)
class ExternalMemory:
    """A memory with an open row, as an SDRAM has it, at the clock of the core.

    Parameters
    ----------
    width : int, bits of data a cycle
    latency : int, cycles from a read's address to its first data
    miss : int, additional cycles of an access to another row
    row : int, bytes of a row
    refresh_every, refresh : int, cycles between two refreshes (0 for none), and cycles of one
    """

    width:   int = 16
    latency: int = 12
    miss:    int = 6
    row:     int = 1024
    refresh_every: int = 780
    refresh:       int = 8

    def cycles(self, move, bus):
        """Estimated cycles of a Move over a port of ``bus`` bits."""
        if move.opcode is Opcode.FILL:
            return 8 + move.bytes // 4
        width = min(self.width, bus) // 8
        dense = move.rows == 1 or move.stride == move.size
        data  = -(-move.bytes // width) + (0 if dense else 4 * move.rows)
        extra = self.latency + self.miss * (1 + move.bytes // self.row)
        stop  = data * self.refresh // self.refresh_every if self.refresh_every else 0
        return data + extra + stop


def parse_memory(text):
    """ExternalMemory from fields that differ from the default, as in ``width=32,latency=20``.

    ValueError, one sentence, for an unknown field or a value out of range.
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
