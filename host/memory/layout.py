# SPDX-License-Identifier: Apache-2.0
"""How tensors lie in the memories."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, Access, Memory

from .packing import from_cells, to_cells

__all__ = ["LOW_OFFSET", "TensorLayout"]

#: What the lower word of an element of 32 bits is less than it counts, so that it is signed.
LOW_OFFSET = 1 << CELL_BITS - 1


@dataclass(frozen=True)
class TensorLayout:
    """A tensor in X or Y: its dimensions in some order, the innermost ones in whole groups.

    The elements of the last ``inner`` dimensions of ``order`` follow one another as a *run*. A run
    is cut into *parts*, each of them padded to whole *groups*, ``ways`` elements that memory gives
    at once. A *row* is what all banks hold at one address. An array of shape (2, 5) with ``order``
    (0, 1), ``inner`` 1, ``parts`` (4, 1), in groups of 2 ways and rows of 4 groups::

        group     0       1       2       3       4       5
        element   00 01 | 02 03 | 04  . | 10 11 | 12 13 | 14  .      (. is padding)
        part      ----- 0 ----- | - 1 - | ----- 0 ----- | - 1 -
        run       --------- 0 --------- | --------- 1 ---------
        row       ------------- 0 ------------- | ----- 1 -----

    An element of 32 bits is two words of 16, which lie in two TensorLayouts, one behind the other:
    ``element >> 16``, and the rest less ``LOW_OFFSET``, so that both are signed. Passes take these
    ``words32``, or both as one window.

    Parameters
    ----------
    shape : tuple of int, of the user's array
    bits : int, 8, 16 or 32
    ways : int, elements of a group
    order : tuple of int, the dimensions as they lie in memory, outermost first
    inner : int, dimensions that make a run
    parts : tuple of int, elements of each part of a run
    memory : Memory
    row : int, first row of that memory
    before, behind : int, further rows on both sides, which passes that make the tensor work on
    offset, gap : int, of a part of a larger tensor: groups in front of it in its first row, and
        groups of other parts between its runs
    """

    shape:  tuple
    bits:   int
    ways:   int
    order:  tuple
    inner:  int
    parts:  tuple
    memory: Memory = Memory.X
    row:    int = 0
    before: int = 0
    behind: int = 0
    offset: int = 0
    gap:    int = 0

    @classmethod
    def of(cls, x, order, ways, *, inner=1, parts=None):
        """TensorLayout of a Tensor like ``x``; a run is one part unless there are ``parts``."""
        run = prod(x.shape[axis] for axis in order[len(order) - inner:])
        return cls(x.shape, x.bits, ways, tuple(order), inner, parts or (run,))

    @classmethod
    def flat(cls, x, ways, parts=None):
        """TensorLayout of a Tensor like ``x`` as a single run in the order of the user's array."""
        return cls.of(x, range(len(x.shape)), ways, inner=len(x.shape), parts=parts)

    @cached_property
    def arrangement(self):
        """Everything that decides where an element lies relative to the first one, but bits."""
        return (tuple(self.shape[axis] for axis in self.order), self.order, self.inner, self.parts,
                self.gap)

    @cached_property
    def outer_axes(self):
        """Dimensions whose steps are whole runs, outermost first."""
        return self.order[:len(self.order) - self.inner]

    @cached_property
    def dims(self):
        """Sizes of the ``outer_axes``."""
        return tuple(self.shape[axis] for axis in self.outer_axes)

    @cached_property
    def pitch(self):
        """Groups of a run."""
        return sum(-(-part // self.ways) for part in self.parts)

    @property
    def distance(self):
        """Groups from one run to the next."""
        return self.pitch + self.gap

    @property
    def spacing(self):
        """Groups from one group of a run to the next."""
        return 1

    @cached_property
    def groups(self):
        """Groups of all runs, without gaps."""
        return prod(self.dims) * self.pitch

    @cached_property
    def span(self):
        """Groups from the first one to the last one, with gaps."""
        return (prod(self.dims) - 1) * self.distance + self.pitch

    @cached_property
    def rows(self):
        """Rows of its memory, the last one perhaps not full."""
        if self.bits > CELL_BITS:
            return sum(word.rows for word in self.words32)
        return -(-(self.offset + self.span) // self.row_groups)

    @cached_property
    def row_cells(self):
        """Cells of a row of its memory."""
        return BANKS * self.ways * (1 if self.memory is Memory.X else self.ways)

    @property
    def first_cell(self):
        """First cell of its rows in its memory."""
        return self.row * self.row_cells

    @property
    def count(self):
        """Cells of its rows."""
        return self.rows * self.row_cells

    @cached_property
    def row_groups(self):
        """Groups of a row of its memory."""
        return self.row_cells // self.ways * (CELL_BITS // min(self.bits, CELL_BITS))

    @cached_property
    def base(self):
        """First group."""
        return self.row * self.row_groups + self.offset

    @property
    def words32(self):
        """TensorLayouts of the upper and the lower words of elements of 32 bits."""
        upper = replace(self, bits=CELL_BITS, before=0, behind=0)
        return upper, upper.at(self.row + upper.rows)

    @cached_property
    def apart(self):
        """Groups from the upper word of an element of 32 bits to the lower one, 0 for others."""
        if self.bits <= CELL_BITS:
            return 0
        upper, lower = self.words32
        return lower.base - upper.base

    def at(self, row, memory=None):
        """The same layout from another row on, of ``memory`` if given."""
        return replace(self, row=row, memory=self.memory if memory is None else memory)

    def like(self, x):
        """TensorLayout with the same arrangement for a Tensor like ``x`` of the same rank."""
        return replace(self, shape=x.shape, bits=x.bits, memory=Memory.X, row=0, before=0, behind=0,
                       offset=0, gap=0)

    def lay_runs(self, x, order):
        """TensorLayout of a Tensor like ``x`` in an ``order`` of its dimensions, the last one as
        runs like those here."""
        return TensorLayout.of(x, order, self.ways, parts=self.parts)

    def step(self, axis):
        """Groups from one index to the next along an outer dimension."""
        behind = self.outer_axes[self.outer_axes.index(axis) + 1:]
        return prod(self.shape[other] for other in behind) * self.distance

    def access(self, outer=(0, 0, 0), taps=(0, 0, 0), offset=0):
        """Access with all of this as its window, from ``offset`` groups behind its base."""
        return Access(base=self.base + offset, low=self.base,
                      high=self.base + self.apart + self.span - 1, outer=outer, taps=taps)

    def slots(self):
        """Place of every element of a run among the elements of its groups."""
        starts = np.cumsum([0, *(-(-part // self.ways) * self.ways for part in self.parts[:-1])])
        return np.concatenate([start + np.arange(part)
                               for start, part in zip(starts, self.parts, strict=True)])

    def spread(self, values):
        """Arrays [..., elements of a run] with 0 for the padding: [..., elements of its groups]."""
        result = np.zeros((*values.shape[:-1], self.pitch * self.ways), values.dtype)
        result[..., self.slots()] = values
        return result

    def cells(self, data):
        """Cells of the rows that hold the user's array ``data``, zeros in front of a part."""
        if self.bits > CELL_BITS:
            parts = data >> CELL_BITS, (data & 0xFFFF) - LOW_OFFSET
            return np.concatenate([word.cells(part.astype(np.int16))
                                   for word, part in zip(self.words32, parts, strict=True)])
        data = data.reshape(self.shape).transpose(self.order)
        runs = self.spread(data.reshape(prod(self.dims), -1))
        runs = np.pad(runs, ((0, 0), (0, self.gap * self.ways)))
        elements = np.pad(runs.ravel()[:self.span * self.ways], (self.offset * self.ways, 0))
        return to_cells(elements, self.bits, self.row_cells)

    def data(self, cells):
        """The user's array that the rows in ``cells`` hold."""
        if self.bits > CELL_BITS:
            upper, lower = (word.data(part).astype(np.int32) for word, part in zip(
                self.words32, np.split(cells, 2), strict=True))
            return np.asarray((upper << CELL_BITS) + lower + LOW_OFFSET)  # scalars, too
        elements = from_cells(cells, self.bits, self.row_cells).reshape(-1, self.ways)
        elements = elements[self.offset:self.offset + self.span]
        runs  = np.pad(elements, ((0, self.gap), (0, 0))).reshape(prod(self.dims), -1)
        runs  = runs[:, self.slots()]
        array = runs.reshape([self.shape[axis] for axis in self.order])
        return array.transpose(np.argsort(self.order).astype(int)).copy()

    def places(self):
        """Index into the flattened user's array of every element of the groups, -1 for padding."""
        count = prod(self.shape)
        index = np.arange(1, count + 1).reshape(self.shape).transpose(self.order)
        return self.spread(index.reshape(prod(self.dims), -1)).ravel() - 1
