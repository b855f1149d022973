# SPDX-License-Identifier: Apache-2.0
"""Command list entries before they are ordered: transfers and program runs."""

from dataclasses import dataclass, field

from xymac.hdl.isa import Command, Opcode, Region

__all__ = ["Move", "RunEntry"]


@dataclass(frozen=True)
class Move:
    """A transfer, or a fill with zeros.

    Parameters
    ----------
    opcode : Opcode.LOAD, STORE or FILL
    region : Region in the core
    core : int, first byte in the region; with ``narrow`` the first 8-bit X element in pass address
        order
    size, rows : int, bytes per row, and rows
    core_stride : int, distance between rows in the unit of ``core``
    external, stride : int, first byte in the image, and distance between rows, bytes
    narrow : bool, X as 8-bit elements
    """

    opcode: Opcode
    region: Region
    core:   int
    size:   int
    rows:   int = 1
    core_stride: int = 0
    external:    int = 0
    stride:      int = 0
    narrow:      bool = False

    @property
    def bytes(self):
        """Bytes moved."""
        return self.size * self.rows

    @property
    def is_aligned(self):
        """Whether it moves whole words of X and Y, or is narrow."""
        return self.narrow or not (self.core | self.size | self.core_stride) % 2

    def command(self, runs, moves):
        """The Command with its counts."""
        return Command(self.opcode, runs, moves, self.external, self.region.value + self.core,
                       self.size, self.rows, self.stride, self.core_stride,
                       **({"narrow": True} if self.narrow else {}))


@dataclass(frozen=True)
class RunEntry:
    """A program run from pass ``first`` on.

    Parameters
    ----------
    first : int
    program : Program
    reads, writes : lists of slices of ``Space`` words
    """

    first:   int
    program: tuple
    reads:   list = field(repr=False)
    writes:  list = field(repr=False)

    def command(self, runs, moves):
        """The Command with its counts."""
        return Command(Opcode.RUN, runs, moves, self.first)
