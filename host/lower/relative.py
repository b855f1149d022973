# SPDX-License-Identifier: Apache-2.0
"""Passes built before rows are allocated: their accesses count from an area's first row."""

from dataclasses import dataclass, replace
from enum import Enum, auto

from xymac.hdl.isa import Access

__all__ = ["Area", "RelativeAccess", "place_passes"]


class Area(Enum):
    """Contiguous row areas; an input's number is its area."""

    VECTORS  = auto()  #: In X, before the output.
    TARGET   = auto()
    RECORDS  = auto()  #: In Y, like the following areas; ``bias_row`` counts from here.
    MATRICES = auto()
    WORDS    = auto()
    ROOM     = auto()


@dataclass(frozen=True)
class RelativeAccess(Access):
    """Access relative to an area's first row.

    Parameters
    ----------
    area : Area, or int, input number
    row_units : int, addresses per row
    """

    area:      Area | int = Area.TARGET
    row_units: int = 1

    @classmethod
    def to(cls, layout, area, **loops):
        """Access to a TensorLayout wherever its rows begin; ``loops`` as in its ``access``."""
        access = layout.at(0).access(**loops)
        return cls(**vars(access), area=area, row_units=layout.row_groups)

    def place(self, rows):
        """The Access with absolute addresses; ``rows`` is a dict from area to first row."""
        start = rows[self.area] * self.row_units
        return Access(self.base + start, self.low + start, self.high + start, self.outer,
                      self.taps, self.mode, self.move)


def place_passes(passes, rows):
    """The passes with absolute addresses; ``rows`` is a dict from area to first row."""
    return [replace(pass_, x=pass_.operands.x.place(rows), y=pass_.operands.y.place(rows),
                    z=pass_.epilogue.z.place(rows),
                    bias_row=None if pass_.accumulate.bias_row is None
                    else pass_.accumulate.bias_row + rows[Area.RECORDS])
            for pass_ in passes]
