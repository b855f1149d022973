# SPDX-License-Identifier: Apache-2.0
"""Tensor memory layout."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, Access, Memory

from .packing import from_cells, pad_end, to_cells

__all__ = ["LOW_OFFSET", "TensorLayout"]

#: Subtracted from the low half-word of a 32-bit element, so that the stored half-word is signed.
LOW_OFFSET = 1 << CELL_BITS - 1


@dataclass(frozen=True)
class TensorLayout:
    """A tensor in X or Y: its dimensions in some order, the innermost in whole vectors.

    A vector is ``ways`` elements at a single memory address. The elements along the last ``inner``
    dimensions of ``order`` are contiguous; they make a *run*. A run consists of *parts*, each
    padded to whole vectors. A *row* holds all banks' words at a bank address. Example: shape (2,
    5), ``order`` (0, 1), ``inner`` 1, ``parts`` (4, 1), 2-element vectors and 4-vector rows::

        vector    0       1       2       3       4       5
        element   00 01 | 02 03 | 04  . | 10 11 | 12 13 | 14  .      (. is padding)
        part      ----- 0 ----- | - 1 - | ----- 0 ----- | - 1 -
        run       --------- 0 --------- | --------- 1 ---------
        row       ------------- 0 ------------- | ----- 1 -----

    A 32-bit element is two signed half-words in two adjacent TensorLayouts: ``element >> 16``, and
    the low half-word minus ``LOW_OFFSET``. Passes read these ``words32``, or both as a single
    window.

    Parameters
    ----------
    shape : tuple of int, shape of the user's array
    bits : int, 8, 16 or 32
    ways : int, elements per vector
    order : tuple of int, dimensions in memory order, outermost first
    inner : int, dimension count per run
    parts : tuple of int, elements per part of a run
    memory : Memory
    row : int, first row in that memory
    before, behind : int, additional rows before and after, which the passes that write the tensor
        use
    offset, gap : int, for a part of a larger tensor: vectors before it in its first row, and other
        parts' vectors between its runs
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
        """TensorLayout for a Tensor like ``x``; a run is a single part unless ``parts`` are given.
        """
        shape = x.shape
        parts = parts or (prod([shape[axis] for axis in order[len(order) - inner:]]),)
        return cls(shape, x.bits, ways, tuple(order), inner, parts)

    @classmethod
    def flat(cls, x, ways, parts=None):
        """TensorLayout for a Tensor like ``x`` as a single run in the user's element order."""
        return cls.of(x, range(len(x.shape)), ways, inner=len(x.shape), parts=parts)

    @cached_property
    def arrangement(self):
        """All properties that determine relative element positions, except the width."""
        shape = tuple([self.shape[axis] for axis in self.order])
        return shape, self.order, self.inner, self.parts, self.gap

    @cached_property
    def outer_axes(self):
        """Dimensions whose steps are whole runs, outermost first."""
        return self.order[:len(self.order) - self.inner]

    @cached_property
    def dims(self):
        """Sizes of the ``outer_axes``."""
        return tuple([self.shape[axis] for axis in self.outer_axes])

    @cached_property
    def pitch(self):
        """Vectors per run."""
        return sum([-(-part // self.ways) for part in self.parts])

    @cached_property
    def distance(self):
        """Address distance between runs, vectors."""
        return self.pitch + self.gap

    @property
    def spacing(self):
        """Address distance between vectors of a run, vectors."""
        return 1

    @cached_property
    def groups(self):
        """Vectors of all runs, without gaps."""
        return prod(self.dims) * self.pitch

    @cached_property
    def span(self):
        """Vectors from the first to the last, with gaps."""
        return (prod(self.dims) - 1) * self.distance + self.pitch

    @cached_property
    def rows(self):
        """Memory rows; the last may be partly used."""
        if self.bits > CELL_BITS:
            return sum(word.rows for word in self.words32)
        return -(-(self.offset + self.span) // self.row_groups)

    @cached_property
    def row_cells(self):
        """Words per memory row."""
        return BANKS * self.ways * (1 if self.memory is Memory.X else self.ways)

    @property
    def first_cell(self):
        """The layout's first word, an index in its memory."""
        return self.row * self.row_cells

    @property
    def count(self):
        """Words of the layout's rows."""
        return self.rows * self.row_cells

    @cached_property
    def row_groups(self):
        """Vectors per memory row."""
        return self.row_cells // self.ways * (CELL_BITS // min(self.bits, CELL_BITS))

    @cached_property
    def base(self):
        """First vector address."""
        return self.row * self.row_groups + self.offset

    @property
    def words32(self):
        """TensorLayouts for the high and the low half-words of 32-bit elements."""
        upper = replace(self, bits=CELL_BITS, before=0, behind=0)
        return upper, upper.at(self.row + upper.rows)

    @cached_property
    def apart(self):
        """Address distance between a 32-bit element's half-words, vectors; 0 for other widths."""
        if self.bits <= CELL_BITS:
            return 0
        upper, lower = self.words32
        return lower.base - upper.base

    def at(self, row, memory=None):
        """The same layout from another row on, in ``memory`` if given."""
        return replace(self, row=row, memory=self.memory if memory is None else memory)

    def like(self, x):
        """TensorLayout with the same arrangement for a Tensor like ``x`` of the same rank."""
        return replace(self, shape=x.shape, bits=x.bits, memory=Memory.X, row=0, before=0, behind=0,
                       offset=0, gap=0)

    def lay_runs(self, x, order):
        """TensorLayout for a Tensor like ``x`` with dimension ``order``; its last dimension is a
        run with this layout's parts.
        """
        return TensorLayout.of(x, order, self.ways, parts=self.parts)

    def step(self, axis):
        """Address distance along an outer dimension, vectors."""
        behind = self.outer_axes[self.outer_axes.index(axis) + 1:]
        return prod([self.shape[other] for other in behind]) * self.distance

    @cached_property
    def strides(self):
        """Element stride per dimension, a dict; for a dimension in several parts, within a part."""
        strides, step = {}, 1
        for axis in reversed(self.order[len(self.order) - self.inner:]):
            strides[axis] = step
            step *= self.shape[axis]
        step = self.distance * self.ways
        for axis in reversed(self.outer_axes):
            strides[axis] = step
            step *= self.shape[axis]
        return strides

    def access(self, outer=(0, 0, 0), taps=(0, 0, 0), offset=0):
        """Access to the whole layout as its window, from ``offset`` vectors after its base."""
        return Access(base=self.base + offset, low=self.base,
                      high=self.base + self.apart + self.span - 1, outer=outer, taps=taps)

    def slots(self):
        """Every element's position in a run's padded vectors, int [elements of a run]."""
        starts = np.cumsum([0, *(-(-part // self.ways) * self.ways for part in self.parts[:-1])])
        return np.concatenate([start + np.arange(part)
                               for start, part in zip(starts, self.parts, strict=True)])

    def spread(self, values):
        """Arrays [..., elements of a run] with padding zeros inserted: [..., elements of its
        vectors].
        """
        result = np.zeros((*values.shape[:-1], self.pitch * self.ways), values.dtype)
        result[..., self.slots()] = values
        return result

    def cells(self, data):
        """Row words for the user's array ``data``, uint16 [count]; padding is 0."""
        if self.bits > CELL_BITS:
            parts = data >> CELL_BITS, (data & 0xFFFF) - LOW_OFFSET
            return np.concatenate([word.cells(part.astype(np.int16))
                                   for word, part in zip(self.words32, parts, strict=True)])
        data = data.reshape(self.shape).transpose(self.order)
        runs = self.spread(data.reshape(prod(self.dims), -1))
        runs = pad_end(runs, 1, self.gap * self.ways)
        held = self.span * self.ways
        elements = np.zeros(self.offset * self.ways + held, runs.dtype)
        elements[self.offset * self.ways:] = runs.ravel()[:held]
        return to_cells(elements, self.bits, self.row_cells)

    def data(self, cells):
        """User's array from the row words, uint16 [count]."""
        if self.bits > CELL_BITS:
            upper, lower = (word.data(part).astype(np.int32) for word, part in zip(
                self.words32, np.split(cells, 2), strict=True))
            return np.asarray((upper << CELL_BITS) + lower + LOW_OFFSET)  # scalars, too
        elements = from_cells(cells, self.bits, self.row_cells).reshape(-1, self.ways)
        elements = elements[self.offset:self.offset + self.span]
        runs  = pad_end(elements, 0, self.gap).reshape(prod(self.dims), -1)
        runs  = runs[:, self.slots()]
        array = runs.reshape([self.shape[axis] for axis in self.order])
        return array.transpose(np.argsort(self.order).astype(int)).copy()

    def places(self):
        """Index into the flattened user's array per vector element, -1 for padding."""
        count = prod(self.shape)
        index = np.arange(1, count + 1).reshape(self.shape).transpose(self.order)
        return self.spread(index.reshape(prod(self.dims), -1)).ravel() - 1
