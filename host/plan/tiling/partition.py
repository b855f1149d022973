# SPDX-License-Identifier: Apache-2.0
"""Cut layers into consecutive parts, each as a whole or as a cascade, with the fewest cycles."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

from xymac.host.cycles.ideal import ideal_cycles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xymac.golden.array import Array
    from xymac.hdl.config import CoreConfig
    from xymac.host.plan.lowerings import Analysis

    from .cascades import Cascades

__all__ = ["Partition"]

_LONGEST = 10   #: Layers of a cascade at most.
_TILES   = 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32
_BYTES   = 2    # bytes that external memory moves in a cycle
_START   = 150  # cycles of a program beside its steps


class Partition:
    """The cheapest parts of a list of layers.

    Parameters
    ----------
    config : CoreConfig
    analysis : Analysis of all layers
    values : list of Tensors: inputs, then the output of each layer
    ends : list of int, the last reader of each value
    outputs : set of int, indices of layers with outputs for the user
    cascades : tuple of Cascades: with all of X, and with a half, so that a tile is loaded while
        another runs
    fits : function from a range to a bool: whether it fits X as a whole
    """

    def __init__(self, config: CoreConfig, analysis: Analysis, values: Sequence[Array],
                 ends: Sequence[int], outputs: set[int], cascades: Sequence[Cascades],
                 fits: Callable[[range], bool]) -> None:
        self._config, self._analysis, self._values = config, analysis, values
        self._ends, self._outputs, self._cascades  = ends, outputs, cascades
        self._fits  = lru_cache(maxsize=None)(fits)
        self._count = len(values) - len(analysis.nodes)

    def find(self) -> list[tuple[range, int, Cascades | None]]:
        """List of (range of layers, number of tiles, Cascades): 1 tile for a whole part, 0 for a
        layer that must be cut by itself.
        """
        size = len(self._analysis.nodes)
        best: dict[int, tuple[float, Any]] = {size: (0.0, None)}
        for start in reversed(range(size)):
            if start in self._analysis.folded:
                best[start] = best[start + 1][0], (start + 1, None)
                continue
            best[start] = min(((cost + best[end][0], (end, tiles))
                               for end, tiles, cost in self._choices(start)),
                              key=lambda each: each[0])
        found, start = [], 0
        while start < size:
            end, tiles = best[start][1]
            if tiles is not None:
                found.append((range(start, end), *tiles))
            start = end
        return found

    def _choices(self, start):
        """Yield (end, tiles, cycles) of parts from layer ``start`` on."""
        whole = True
        for end in range(start + 1, len(self._analysis.nodes) + 1):
            if end - 1 in self._analysis.folded:
                continue
            whole = whole and self._fits(range(start, end))
            if whole:
                yield end, (1, None), self._cost_of_whole(range(start, end))
            elif end - start > _LONGEST:
                return
            else:
                yield from self._cascade(range(start, end))
            if end == start + 1 and not whole:
                yield end, (0, None), 1.1 * self._cost_of_whole(range(start, end))

    def _cost_of_whole(self, layers):
        first   = self._count + layers.start
        outside = {number for index in layers for number in self._analysis.nodes[index].sources
                   if number < first}
        kept    = {self._count + index for index in layers
                   if self._ends[self._count + index] >= layers.stop or index in self._outputs}
        cycles  = sum(ideal_cycles(node.layer, self._config, *(
            self._values[number].shape for number in node.sources))
            for index, node in enumerate(self._analysis.nodes)
            if index in layers and index not in self._analysis.folded)
        return cycles + _START + sum(self._values[number].data.nbytes
                                     for number in outside | kept) / _BYTES

    def _cascade(self, layers):
        """Yield (end, tiles, cycles) of the fewest row tiles that fit, if any."""
        inner = [index for index in layers[:-1] if index not in self._analysis.folded]
        if any(self._ends[self._count + index] >= layers.stop or index in self._outputs
               for index in inner):
            return
        for number, cascades in enumerate(self._cascades):
            for count in _TILES:
                tiles = cascades.cut(layers, count)
                if tiles is None:
                    break
                if all(map(cascades.fits, (tiles[count // 2], *tiles))):
                    yield layers.stop, (count, cascades), _cost_of_tiles(tiles, hidden=number > 0)
                    break


def _cost_of_tiles(tiles, *, hidden):
    """Cycles of all tiles; ``hidden`` if transfers and programs overlap."""
    cycles = [tile.cycles + _START for tile in tiles]
    moved  = [(sum(x.data.nbytes for x in tile.inputs) + prod(
        each.stop - each.start for each in tile.target)) / _BYTES for tile in tiles]
    if hidden:
        return max(moved) + sum(map(max, cycles, moved))
    return sum(cycles) + sum(moved)
