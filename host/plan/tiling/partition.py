# SPDX-License-Identifier: Apache-2.0
"""Divide layers into consecutive parts, whole or cascaded, with the fewest cycles."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xymac.golden.array import Array
    from xymac.hdl.config import CoreConfig
    from xymac.host.plan.lowerings import Analysis

    from .cascades import Cascades

__all__ = ["Partition"]

_LONGEST = 10   #: Largest number of layers in a cascade.
_TILES   = 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32
_BYTES   = 2    # external memory bandwidth, bytes per cycle
_START   = 150  # cycles per program besides its steps
_HIDE    = 0.05  # ratio of transfer to program cycles above which a fitting part may be cut


class Partition:
    """Division of a layer list into the parts with the fewest cycles.

    Parameters
    ----------
    config : CoreConfig
    analysis : Analysis for all layers
    values : list of Tensors: inputs, then each layer's output
    ends : list of int, index of each value's last reader
    outputs : set of int, indices of layers with network outputs
    cascades : tuple of Cascades, see ``make_cascades``
    fits : function from a layer range to a bool: whether the values and constants of the uncut
        range fit
    has_program : function from a layer range to a bool: whether the uncut range, which fits, has a
        program
    """

    def __init__(self, config: CoreConfig, analysis: Analysis, values: Sequence[Array],
                 ends: Sequence[int], outputs: set[int], cascades: Sequence[Cascades],
                 fits: Callable[[range], bool], has_program: Callable[[range], bool]) -> None:
        self._config, self._analysis, self._values = config, analysis, values
        self._ends, self._outputs, self._cascades  = ends, outputs, cascades
        self._fits   = lru_cache(maxsize=None)(fits)
        self._count  = len(values) - len(analysis.nodes)
        self._ideal  = lru_cache(maxsize=None)(self._ideal_of)
        self._fewest = lru_cache(maxsize=None)(self._fewest_of)
        self._least: dict[tuple[range, Cascades], int] = {}  # tile counts to begin with
        self._has_program = has_program

    def find(self) -> list[tuple[range, int, Cascades | None]]:
        """The parts, a list of (layer range, tile count, Cascades).

        The tile count is 1 for a whole part, and 0 for a layer to be cut alone.
        """
        most = self._find_longest()
        while True:
            found = self._find(most)
            wrong = [part for part in found if not self._can_make(*part)]
            if not wrong:
                return found
            for layers, tiles, cascades in wrong:
                if cascades is None:
                    most[layers.start] = layers.stop - 1
                else:
                    self._least[layers, cascades] = tiles + 1

    def _can_make(self, layers, tiles, cascades):
        """Whether a part of ``find`` fits and has programs; a layer cut alone may have none."""
        if cascades is not None:
            return all(not isinstance(cascades.plan(tile, with_program=True), Refusal)
                       for tile in cascades.cut(layers, tiles))
        return tiles == 0 or (self._fits(layers) and self._has_program(layers))

    def _find_longest(self):
        """Per layer, the end of the longest fitting part from this layer on; ends ascend."""
        end  = len(self._analysis.nodes)
        most = [0] * end
        for start in reversed(range(end)):
            while end > start and start not in self._analysis.folded and not self._fits(
                    range(start, end)):
                end -= 1
            most[start] = end
            end = max(end, start)
        return most

    def _find(self, most):
        """The parts with the fewest cycles; ``most`` has the last end of a whole part per start."""
        size = len(self._analysis.nodes)
        best: dict[int, tuple[float, Any]] = {size: (0.0, None)}
        for start in reversed(range(size)):
            if start in self._analysis.folded:
                best[start] = best[start + 1][0], (start + 1, None)
                continue
            best[start] = min(((cost + best[end][0], (end, tiles))
                               for end, tiles, cost in self._choices(start, most[start])),
                              key=lambda each: each[0])
        found, start = [], 0
        while start < size:
            end, tiles = best[start][1]
            if tiles is not None:
                found.append((range(start, end), *tiles))
            start = end
        return found

    def _choices(self, start, most):
        """Yield (end, (tile count, Cascades), cycles) for parts from layer ``start`` on."""
        for end in range(start + 1, len(self._analysis.nodes) + 1):
            layers = range(start, end)
            if end - 1 in self._analysis.folded:
                continue
            if end <= most:
                cycles, moved = self._cost_of_whole(layers)
                yield end, (1, None), cycles + moved
                if moved > _HIDE * cycles and len(layers) <= _LONGEST:
                    yield from self._cascade(layers, self._cascades[1:])
            elif end - start > _LONGEST:
                return
            else:
                yield from self._cascade(layers, self._cascades)
            if end == start + 1 > most:
                yield end, (0, None), 1.1 * sum(self._cost_of_whole(layers))

    def _ideal_of(self, index):
        """A layer's ideal cycles."""
        node = self._analysis.nodes[index]
        return 0.0 if index in self._analysis.folded else ideal_cycles(
            node.layer, self._config, *(self._values[number].shape for number in node.sources))

    def _cost_of_whole(self, layers):
        """(program cycles, transfer cycles) of a whole part."""
        first   = self._count + layers.start
        outside = {number for index in layers for number in self._analysis.nodes[index].sources
                   if number < first}
        kept    = {self._count + index for index in layers
                   if self._ends[self._count + index] >= layers.stop or index in self._outputs}
        return _START + sum(map(self._ideal, layers)), sum(
            self._values[number].data.nbytes for number in outside | kept) / _BYTES

    def _cascade(self, layers, some):
        """Yield (end, (tile count, Cascades), cycles) with the fewest row tiles per Cascades."""
        inner = [index for index in layers[:-1] if index not in self._analysis.folded]
        if any(self._ends[self._count + index] >= layers.stop or index in self._outputs
               for index in inner):
            return
        for cascades in some:
            found = self._fewest(layers, cascades, self._least.get((layers, cascades), 0))
            if found is not None:
                count, cycles = found
                yield layers.stop, (count, cascades), cycles

    def _fewest_of(self, layers, cascades, least):
        """The fewest row tiles that fit, ``least`` or more, and their cycles, or None."""
        for count in _TILES:
            tiles = cascades.cut(layers, count) if count >= least else []
            if tiles is None:
                return None
            if tiles:
                return count, _cost_of_tiles(tiles, hidden=cascades is not self._cascades[0])
        return None


def _cost_of_tiles(tiles, *, hidden):
    """Cycles for all tiles; ``hidden`` if transfers and programs overlap."""
    cycles = [tile.cycles + _START for tile in tiles]
    moved  = [(sum(x.data.nbytes for x in tile.inputs) + prod(
        each.stop - each.start for each in tile.target)) / _BYTES for tile in tiles]
    if hidden:
        return max(moved) + sum(map(max, cycles, moved))
    return sum(cycles) + sum(moved)
