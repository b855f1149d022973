# SPDX-License-Identifier: Apache-2.0
"""Elements selected from several tensors, as moves."""

from xymac.host.ir.pick import PickAmong
from xymac.host.lower.base import Lowering
from xymac.host.lower.move.choice import choose_moves
from xymac.host.lower.move.copies import COPY_WORDS
from xymac.host.lower.move.halves import join_constants, split_constants
from xymac.host.lower.orders import refuse_other
from xymac.host.lower.sweep import fill
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout

from .regions import find_regions

__all__ = ["AmongLowering"]


class AmongLowering(Lowering):
    """Elements from several tensors by constant numbers, with as many dimensions in a run as moves
    can write."""

    forms = (PickAmong,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._places = self.form.places
        rank   = len(self.output.shape)
        inners = dict.fromkeys((min(1, rank), *range(rank, -1, -1)))
        self._inner  = next(inner for inner in inners
                            if self._regions(self._lay_sources(inner), self._lay_output(inner)))

    def source_layouts(self, preferred):
        """In the user's array order."""
        return self._lay_sources(self._inner)

    def refuses(self, sources):
        """Any other input layout."""
        wanted = self._lay_sources(self._inner)
        return next(filter(None, map(refuse_other, sources, wanted)), None)

    def target_layout(self, sources):
        """In the user's array order."""
        return self._lay_output(self._inner)

    def constants(self, sources):
        """Constants for the moves, then fill words."""
        return join_constants(*self._tables(self._moves(sources, self._lay_output(self._inner))))

    def passes(self, sources, target, constants):
        """Zeros, then the moves from each input."""
        moves  = self._moves(sources, target)
        tables = split_constants(constants, self._tables(moves))
        passes = fill(sources[0], target, tables[1].word(0, 8, self.ways), target.span)
        return passes + [pass_ for move in moves for pass_ in move.passes(tables[0])]

    def _lay_sources(self, inner):
        return tuple(TensorLayout.of(x, range(len(x.shape)), self.ways,
                                     inner=min(inner, len(x.shape))) for x in self.inputs)

    def _lay_output(self, inner):
        return TensorLayout.of(self.output, range(len(self.output.shape)), self.ways, inner=inner)

    def _regions(self, sources, target):
        """Regions from all inputs; None if moves cannot write target runs."""
        regions = [find_regions(places, source, target)
                   for places, source in zip(self._places, sources, strict=True)]
        return None if None in regions else [region for each in regions for region in each]

    def _moves(self, sources, target):
        return choose_moves(self._regions(sources, target), core=self.core)

    def _tables(self, moves):
        """Constants in sequence: move constants, then zeros."""
        return [moves[0].constants(self.ways), lane_words(COPY_WORDS, self.ways)]
