# SPDX-License-Identifier: Apache-2.0
"""Elements selected by constant indices, as moves."""

from dataclasses import dataclass

import numpy as np

from xymac.hdl.isa import CELL_BITS
from xymac.host.ir.pick import Pick
from xymac.host.lower.base import Lowering
from xymac.host.lower.move.choice import choose_moves
from xymac.host.lower.move.copies import COPY_WORDS
from xymac.host.lower.move.halves import join_constants, split_constants
from xymac.host.lower.orders import refuse_layout
from xymac.host.lower.sweep import fill
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout

from .regions import find_regions

__all__ = ["PickLowering"]

_BEGIN = 24  # minimum cycles of a pass


@dataclass(frozen=True)
class _Way:
    """Unplaced input and output layouts, and cycles for the moves between them."""

    source: TensorLayout
    target: TensorLayout
    cycles: int


class PickLowering(Lowering):
    """Elements selected by constant indices, in layouts with few moves."""

    forms = (Pick,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._places  = self.form.places
        self._targets = self._list_layouts(self.output)
        self._ways    = {}  # by the arrangement of the input
        self._best    = None

    @classmethod
    def takes(cls, layer, inputs):
        """Whether elements have fewer than 32 bits."""
        return inputs[0].bits <= CELL_BITS

    def source_layouts(self, preferred):
        """The layout from which moves to some output layout take the fewest cycles."""
        sources = self._list_layouts(self.inputs[0])
        if preferred is not None and len(preferred.parts) == 1:
            self._targets.insert(0, preferred.like(self.output))
            if len(self.inputs[0].shape) == len(preferred.order):
                sources.insert(0, TensorLayout.of(self.inputs[0], preferred.order, self.ways,
                                                  inner=preferred.inner))
            self._ways.clear()
        ways = filter(None, (self._find_way(source) for source in sources))
        self._best = min(ways, key=lambda way: way.cycles + self._detour(way.source))
        return (self._best.source,)

    def refuses(self, sources):
        """An input order with more cycles than another order."""
        [source], best = sources, self._best
        way = None if len(source.parts) > 1 else self._find_way(source)
        if best is not None and (way is None or way.cycles > 2 * best.cycles + np.prod(
                source.shape, dtype=int)):
            return refuse_layout(f"The input must lie as {best.source.arrangement}, not as "
                                 f"{source.arrangement}")
        return None

    def target_layout(self, sources):
        """The layout to which moves take fewest cycles."""
        [source] = sources
        return self._find_way(source).target

    def constants(self, sources):
        """Constants for the moves, then fill words."""
        return join_constants(*self._tables(self._moves(*sources, self.target_layout(sources))))

    def passes(self, sources, target, constants):
        """Zeros where no element is written, then the moves."""
        moves  = self._moves(*sources, target)
        tables = split_constants(constants, self._tables(moves))
        passes = []
        if self._has_zeros:
            word   = tables[-1].word(0, 8, self.ways)
            passes = fill(*sources, target, word, target.span)
        return passes + [pass_ for move in moves for pass_ in move.passes(tables[0])]

    def tile_axes(self):
        """All output dimensions."""
        return [(axis, 1) for axis in range(len(self.output.shape))]

    @staticmethod
    def cost_of(tiles):
        """Element count in the largest input part."""
        return max(np.prod([side.stop - side.start for side in tile.sources[0]], dtype=int)
                   for tile in tiles)

    @property
    def _has_zeros(self):
        return bool((self._places < 0).any())

    def _moves(self, source, target):
        return self._choose_moves(find_regions(self._places, source, target))

    def _choose_moves(self, regions):
        return choose_moves(regions, core=self.core) if regions else []

    def _tables(self, moves):
        """Constants in sequence: move constants, then zeros."""
        return [move.constants(self.ways) for move in moves[:1]] + [
            lane_words(COPY_WORDS, self.ways)] * self._has_zeros

    def _list_layouts(self, x):
        """TensorLayouts for a Tensor with any number of dimensions in a run, pixels first."""
        rank   = len(x.shape)
        orders = [tuple(range(rank))]
        kept   = self._kept_axes()
        if kept and len(kept) < rank == len(self.inputs[0].shape) == len(self.output.shape):
            orders.append((*(axis for axis in range(rank) if axis not in kept), *kept))
        inners = dict.fromkeys((min(1, rank), rank, *range(rank)))
        layouts = [TensorLayout.of(x, orders[0], self.ways, inner=inner) for inner in inners]
        return layouts + [TensorLayout.of(x, order, self.ways, inner=len(kept))
                          for order in orders[1:]]

    def _kept_axes(self):
        """Dimensions equal in input and output."""
        x, places = self.inputs[0].shape, self._places
        if len(x) != places.ndim:
            return []
        steps = [int(np.prod(x[axis + 1:], dtype=int)) for axis in range(len(x))]
        return [axis for axis, step in enumerate(steps) if x[axis] == places.shape[axis] and (
            np.diff(places, axis=axis) == step).all()]

    def _detour(self, layout):
        """Cycles to move the input to a layout that is not pixel by pixel."""
        usual = self._list_layouts(self.inputs[0])[0]
        alike = layout.arrangement == usual.arrangement
        return 0 if alike else int(np.prod(layout.shape, dtype=int)) // self.ways

    def _find_way(self, source):
        """The _Way with the fewest cycles from a layout to an output layout, or None."""
        key = source.arrangement
        if key not in self._ways:
            ways = []
            for target in self._targets:
                regions = find_regions(self._places, source, target)
                if regions is not None:
                    moves = self._choose_moves(regions)
                    ways.append(_Way(source, target, sum(max(move.steps, _BEGIN)
                                                         for move in moves)))
            self._ways[key] = min(ways, key=lambda way: way.cycles, default=None)
        return self._ways[key]
