# SPDX-License-Identifier: Apache-2.0
"""Plan graphs larger than X: sequential plans, with tensors in host memory between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from xymac.host.errors import Refusal, accept
from xymac.host.plan.emit import Ends
from xymac.host.plan.graph import nodes_of
from xymac.host.plan.lowerings import analyse, list_wanted
from xymac.host.plan.plan import Plan
from xymac.host.plan.planned import Planned
from xymac.host.plan.step import TiledStep
from xymac.host.sizes import read_config

from .cascades import make_cascades
from .partition import Partition
from .tiles import plan_tiles

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from xymac.golden.array import Array
    from xymac.golden.layer import Layer
    from xymac.hdl.config import CoreConfig
    from xymac.host.executable.builder import Builder
    from xymac.host.plan.graph import Node
    from xymac.host.plan.lowerings import Analysis

    from .cascades import CascadeTile
    from .tiles import TilePlan

__all__ = ["TiledPlan", "make_plan"]


def make_plan(config: CoreConfig | str, layers: Sequence[Node] | Sequence[Layer], *inputs: Array,
              keep: bool | Collection[int] | None = None,
              outputs: frozenset[int] = frozenset(), c_order: bool = False,
              cascades: bool = False, reloads: bool = False) -> Planned:
    """A Plan, or a TiledPlan if X cannot hold all tensors at once; see both."""
    config   = read_config(config)
    nodes    = nodes_of(layers, len(inputs))
    analysis = analyse(config, nodes, inputs, list_wanted(len(nodes), keep, outputs))
    options  = {"outputs": outputs, "c_order": c_order, "analysis": analysis}
    plan = Plan.of(config, nodes, *inputs, keep=keep, reloads=reloads, **options)
    if not isinstance(plan, Refusal):
        return plan
    if keep is True:
        raise plan
    return TiledPlan(config, nodes, *inputs, cascades=cascades, **options)


@dataclass(frozen=True)
class _Part:
    """A plan for some layers, or for a layer tile.

    Parameters
    ----------
    plan : Plan
    layers : layer index range
    sources : list of (value number, slices), its inputs
    targets : list of (layer index within the plan, value number, slices), its outputs
    states : tuple of slices, for its only layer's states; empty for all states
    """

    plan:    TilePlan
    layers:  range
    sources: list[tuple[int, tuple[slice, ...]]]
    targets: list[tuple[int, int, tuple[slice, ...]]]
    states:  tuple[tuple[slice, ...], ...] = ()


class TiledPlan(Planned):
    """Layers as several programs, with tensors in host memory between them.

    A part has as many layers as fit X; a layer that does not fit is cut into tiles. Cycle counters
    do not include host transfers.

    Parameters
    ----------
    config, layers, inputs, outputs, analysis : see ``Plan``
    c_order : bool, network inputs and the last output have the user's array order. In parts with
        such tensors this applies to all inputs and the last output; a tile has its slices' order.
        See ``Plan``
    cascades : bool, run consecutive layers depth first in row tiles where that moves fewer words; a
        layer's passes are then apart, and ``steps`` is empty

    Attributes
    ----------
    parts : list, each with its ``plan``
    states : see ``Plan``
    steps : tuple of TiledStep, one per layer
    program : tuple of all passes
    segments : tuple of Program, in execution order

    Refusal for a layer that does not fit and cannot be cut.
    """

    keeps_all = False

    def __init__(self, config: CoreConfig, layers: Sequence[Node] | Sequence[Layer],
                 *inputs: Array,
                 outputs: frozenset[int] = frozenset(), c_order: bool = False,
                 analysis: Analysis | None = None, cascades: bool = False) -> None:
        self._analysis = analysis or analyse(config, nodes_of(layers, len(inputs)), inputs,
                                             list_wanted(len(layers), None, outputs))
        nodes = self._analysis.nodes
        self._outputs = {*outputs, len(nodes) - 1}
        self._c_order = c_order
        self.config, self.inputs  = config, inputs
        self._nodes, self._count  = nodes, len(inputs)
        self._values = [*inputs, *(lowering.output for lowering in self._analysis.lowerings)]
        self._ends   = [0] * len(self._values)  # each value's last reader
        for index, node in enumerate(nodes):
            for number in node.sources:
                self._ends[number] = index
        self._states: list[tuple[Array, ...]] = [()] * len(nodes)
        self._first:  list[tuple[Array, ...]] = [()] * len(nodes)
        self.parts = []
        (self._cut_cascades if cascades else self._cut_longest)()
        self.states   = tuple(self._states)
        self.program  = tuple(pass_ for part in self.parts for pass_ in part.plan.program)
        self.segments = tuple(segment for part in self.parts for segment in part.plan.segments)
        self.steps    = () if cascades else tuple(self._steps())

    def _cut_longest(self):
        """Set ``parts``: each with as many layers as fit."""
        start = 0
        while start < len(self._nodes):
            if start in self._analysis.folded:
                start += 1
                continue
            part = self._longest_part(start)
            if isinstance(part, Refusal):
                parts = self._tiles(start, part)
            else:
                parts = [part]
                self._note_states(part)
            self.parts += parts
            start = parts[-1].layers.stop

    def _cut_cascades(self):
        """Set ``parts``: whole parts, cascades and single-layer tiles, by their cycles."""
        cascades = make_cascades(self.config, self._analysis, self._values, self._count)
        make     = lru_cache(maxsize=None)(self._part)
        partition = Partition(self.config, self._analysis, self._values, self._ends,
                              self._outputs, cascades,
                              lambda layers: self._can_place(layers.start, layers.stop),
                              lambda layers: not isinstance(make(layers), Refusal))
        for layers, tiles, chosen in partition.find():
            if tiles == 1:
                self.parts.append(accept(make(layers)))
                self._note_states(self.parts[-1])
            elif chosen is not None:
                self.parts += [self._cascade_part(chosen, layers, tile)
                               for tile in cast("list[CascadeTile]", chosen.cut(layers, tiles))]
            else:
                self.parts += self._tiles(layers.start, cast("Refusal", make(layers)))

    def _cascade_part(self, cascades, layers, tile):
        plan = accept(cascades.plan(tile, with_program=True))
        return _Part(plan, layers, tile.sources,
                     [(len(layers) - 1, self._count + layers[-1], tile.target)])

    def _note_states(self, part):
        self._states[part.layers.start:part.layers.stop] = part.plan.states

    @property
    def blanks(self) -> list[Array]:
        """Tensor list in the layers' output formats."""
        return self._values[len(self.inputs):]

    @property
    def cell_blanks(self) -> dict[int, Array]:
        """Dict, layer index to a Tensor like a recurrent cell's new state in Y."""
        return {part.layers[index]: blank for part in self.parts
                for index, blank in part.plan.cell_blanks.items()}

    @property
    def kept(self) -> list[int]:
        """See ``Planned``."""
        return sorted({number - self._count for part in self.parts
                       for _, number, _ in part.targets})

    def emit(self, builder: Builder, ends: Ends, *, alone: bool = False) -> None:
        numbers = dict(enumerate(number for number, _ in ends.sources))
        numbers |= {self._count + index: number for index, number, _ in ends.targets}
        own     = iter(ends.states)
        states  = [[next(own)[0] for _ in each]
                   or [builder.add_value(first, first=first) for first in handed]
                   for each, handed in zip(self.states, self._first, strict=True)]
        for part in self.parts:
            held = [each for layer in part.layers for each in states[layer]]
            part.plan.emit(builder, Ends(
                tuple((numbers[number], slices) for number, slices in part.sources),
                tuple((index, numbers[number], slices) for index, number, slices in part.targets),
                tuple(zip(held, part.states or [()] * len(held), strict=True)),
                {index: ends.cells[layer] for index, layer in enumerate(part.layers)
                 if layer in ends.cells}))

    def _longest_part(self, start):
        """The longest part from layer ``start``, or that layer's own Refusal."""
        best, step = start + 1, 1
        first = self._plan(range(start, best), with_program=False)
        if isinstance(first, Refusal):
            return first
        while self._can_place(start, best + step):
            best, step = best + step, 2 * step
        while step > 1:  # a part with ``step`` more layers does not fit
            step //= 2
            if self._can_place(start, best + step):
                best += step
        for end in range(best, start + 1, -1):
            part = self._part(range(start, end))
            if not isinstance(part, Refusal):
                return part
        return self._part(range(start, start + 1))

    def _can_place(self, start, end):
        """Whether layers ``start`` to ``end`` exist and their values and constants fit together."""
        return end <= len(self._nodes) and not isinstance(
            self._plan(range(start, end), with_program=False), Refusal)

    def _plan(self, layers, *, with_program):
        """A layer range's Plan, or a Refusal."""
        first   = self._count + layers.start
        outside = self._outside(layers)
        places  = {number: place for place, number in enumerate(outside)}
        nodes   = [replace(self._nodes[index], sources=tuple(
            places[number] if number < first else number - first + len(outside)
            for number in self._nodes[index].sources)) for index in layers]
        return Plan.of(self.config, nodes, *(self._values[number] for number in outside),
                       keep=frozenset(self._kept(layers)), c_order=self._is_in_order(layers),
                       analysis=self._analysis.part(layers, nodes), with_program=with_program,
                       reloads=True)

    def _outside(self, layers):
        """The range's sorted input value numbers."""
        return sorted({number for index in layers for number in self._nodes[index].sources
                       if number < self._count + layers.start})

    def _kept(self, layers):
        """Positions within ``layers`` whose outputs are read outside the range or by the user."""
        return [place for place, index in enumerate(layers)
                if self._ends[self._count + index] >= layers.stop or index in self._outputs]

    def _part(self, layers):
        plan = self._plan(layers, with_program=True)
        if isinstance(plan, Refusal):
            return plan
        return _Part(plan, layers, [(number, ()) for number in self._outside(layers)],
                     [(place, self._count + layers.start + place, ())
                      for place in self._kept(layers)])

    def _is_in_order(self, layers):
        """Whether the range's inputs and last output have the user's array order."""
        return self._c_order and (layers.stop == len(self._nodes) or any(
            number < self._count for index in layers for number in self._nodes[index].sources))

    def _tiles(self, index, refusal):
        """The fewest parts for layer ``index``, which does not fit as a whole: its Refusal."""
        node     = self._nodes[index]
        inputs   = [self._values[source] for source in node.sources]
        lowering = self._analysis.lowerings[index]
        self._states[index], self._first[index] = lowering.states, lowering.handed_on
        return [_Part(tile.plan, range(index, index + 1),
                      [(number, slices) for number, slices in zip(node.sources, tile.sources,
                                                                  strict=True)
                       if slices is not None],
                      [(0, self._count + index, tile.target)], tile.states)
                for tile in accept(plan_tiles(
                    self.config, node, inputs, refusal,
                    c_order=self._is_in_order(range(index, index + 1))))]

    def _steps(self):
        made  = {number for part in self.parts for _, number, _ in part.targets}
        tiles  = [[] for _ in self._nodes]
        passes = [[] for _ in self._nodes]
        start  = 0
        for part in self.parts:
            for layer, step in zip(part.layers, part.plan.steps, strict=True):
                begins = layer == part.layers.start
                tiles[layer].append((step, max(step.programs, int(begins))))
                passes[layer] += [start + number for number in step.passes]
            start += len(part.plan.program)
        for index, (node, steps) in enumerate(zip(self._nodes, tiles, strict=True)):
            if index in self._analysis.folded:
                yield TiledStep.of_folded(node.layer)
                continue
            last, _ = steps[-1]
            words = [last.remarks] * bool(last.remarks)
            words += [f"{len(steps)} tiles"] * (len(steps) > 1)
            yield TiledStep(node.layer, tuple(passes[index]), self._count + index in made,
                            ", ".join(words), sum(step.moved for step, _ in steps),
                            sum(step.loaded for step, _ in steps),
                            sum(programs for _, programs in steps), len(steps), last.renamed)
