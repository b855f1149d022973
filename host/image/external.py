# SPDX-License-Identifier: Apache-2.0
"""Timing of an external memory, and of transfers to and from it."""

from dataclasses import dataclass

from xymac.hdl.isa import Opcode

__all__ = ["ExternalMemory"]


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
