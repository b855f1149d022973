# SPDX-License-Identifier: Apache-2.0
"""Depth-first execution of consecutive layers, so that values between them never leave X.

A tile computes rows of the last layer's output, and all earlier rows on which they depend.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.errors import Refusal
from xymac.host.frontend.tflm.bands import take_rows
from xymac.host.ir.tile import along, cut_evenly, whole
from xymac.host.lower.registry import find_lowering
from xymac.host.plan.lowerings import Analysis
from xymac.host.plan.plan import Plan

from .tiles import identify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.golden.array import Array
    from xymac.hdl.config import CoreConfig
    from xymac.host.plan.graph import Node

__all__ = ["CascadeTile", "Cascades", "make_cascades"]

_ROWS = 1    # dimension
_UNIT = 512  # X rows of every core are a multiple


@dataclass(frozen=True)
class CascadeTile:
    """Layers that compute some rows of their last output.

    Parameters
    ----------
    nodes : list of Node, a node per layer of the range; folded layers have no sources
    analysis : Analysis for these nodes
    inputs : list of Tensors
    sources : list of (value number, slices), a pair per input
    target : tuple of slices of the last output
    cycles : float, ideal cycles for all layers
    """

    nodes:    list[Node]
    analysis: Analysis
    inputs:   list[Array]
    sources:  list[tuple[int, tuple[slice, ...]]]
    target:   tuple[slice, ...]
    cycles:   float


class Cascades:
    """Row tiles for layer ranges.

    Parameters
    ----------
    config : CoreConfig
    analysis : Analysis for all layers
    values : list of Tensors: inputs, then each layer's output
    count : int, input count
    """

    def __init__(self, config: CoreConfig, analysis: Analysis, values: Sequence[Array],
                 count: int) -> None:
        self._config, self._analysis = config, analysis
        self._values, self._count = values, count
        self._made: dict[tuple, tuple[Plan | Refusal, CascadeTile]] = {}

    def cut(self, layers: range, count: int) -> list[CascadeTile] | None:
        """Cut a layer range into ``count`` CascadeTiles, a list.

        Empty if a tile does not fit, None if the range cannot be cut by rows. All values but the
        last must have their readers within the range.
        """
        shape = self._values[self._count + layers[-1]].shape
        parts = cut_evenly(shape[_ROWS], count) if len(shape) > _ROWS else None
        if not parts:
            return None
        tiles = {}
        for index in (count // 2, *range(count)):  # a tile in the middle is the largest
            if index not in tiles:
                tile = self._tile(layers, *parts[index])
                if tile is None:
                    return None
                if not self.fits(tile):
                    return []
                tiles[index] = tile
        return [tiles[index] for index in range(count)]

    def plan(self, tile: CascadeTile, *, with_program: bool) -> Plan | Refusal:
        """A CascadeTile's Plan, which equal tiles share; a Refusal if it does not fit."""
        key = (with_program, *(identify(node.layer, ()) for node in tile.nodes),
               *(x.shape for x in tile.inputs))
        if key not in self._made:
            plan = Plan.of(self._config, tile.nodes, *tile.inputs,
                           keep=frozenset({len(tile.nodes) - 1}), analysis=tile.analysis,
                           with_program=with_program, reloads=True)
            self._made[key] = plan, tile  # the layers stay alive, so that their ids stay unique
        plan, _ = self._made[key]
        return plan

    def fits(self, tile: CascadeTile) -> bool:
        """Whether a CascadeTile's values and constants fit."""
        return not isinstance(self.plan(tile, with_program=False), Refusal)

    def _tile(self, layers, first, end):
        """The CascadeTile for rows ``first`` to ``end``, or None."""
        found = self._find_rows(layers, first, end)
        if found is None:
            return None
        inside  = {self._count + index for index in layers}
        outside = list(dict.fromkeys(source for _, sources in found.values()
                                     for source in sources if source[0] not in inside))
        inputs  = [self._take(*source) for source in outside]
        nodes, lowerings, cycles = [], [], 0.0
        for index in layers:
            node = self._analysis.nodes[index]
            if index not in found:  # folded
                nodes.append(replace(node, sources=()))
                lowerings.append(self._analysis.lowerings[index])
                continue
            layer, sources = found[index]
            places = [outside.index(source) if source[0] not in inside
                      else len(outside) + source[0] - self._count - layers[0]
                      for source in sources]
            taken  = [inputs[place] if place < len(inputs)
                      else lowerings[place - len(inputs)].output for place in places]
            nodes.append(replace(node, layer=layer, sources=tuple(places)))
            lowerings.append(find_lowering(layer, taken, self._config.ways,
                                           core=self._config.capabilities))
            cycles += ideal_cycles(layer, self._config, *(x.shape for x in taken))
        folded = frozenset(index - layers[0] for index in layers if index not in found)
        shape  = self._values[self._count + layers[-1]].shape
        return CascadeTile(nodes, Analysis(nodes, lowerings, folded), inputs,
                           [(number, self._slices(number, rows)) for number, rows in outside],
                           along(shape, _ROWS, first, end), cycles)

    def _find_rows(self, layers, first, end):
        """Dict from layer index to (layer for its rows, [(value number, rows)]), or None."""
        found = {}
        wanted: dict[int, Any] = {self._count + layers[-1]: (first, end)}
        for index in reversed(layers):
            if index in self._analysis.folded:
                continue
            node, number = self._analysis.nodes[index], self._count + index
            if number not in wanted or self._analysis.lowerings[index].states:
                return None
            part = take_rows(node.layer, [self._values[source] for source in node.sources],
                             self._values[number], *wanted[number])
            if part is None:
                return None
            for source, rows in zip(node.sources, part[1], strict=True):
                if source >= self._count + layers[0] and (
                        rows is None or wanted.setdefault(source, rows) != rows):
                    return None  # read whole, or in two ways
            found[index] = part[0], list(zip(node.sources, part[1], strict=True))
        return found

    def _slices(self, number, rows):
        shape = self._values[number].shape
        return whole(shape) if rows is None else along(shape, len(shape) - 3, *rows)

    def _take(self, number, rows):
        return self._values[number].take(self._slices(number, rows))


def make_cascades(config: CoreConfig, analysis: Analysis, values: Sequence[Array],
                  count: int) -> tuple[Cascades, ...]:
    """The Cascades in all of X, and in half of X at most, for transfers beside the computation;
    the latter are missing where half of X is no size of a core.
    """
    half = config.x_rows // (2 * _UNIT) * _UNIT
    return tuple(Cascades(replace(config, x_rows=rows), analysis, values, count)
                 for rows in (config.x_rows, half) if rows)
