"""Graphs whose tensors X cannot hold together: plans one after the other, the host between them."""

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from .cuts import cut_layer
from .graph import Node, chain, check_inputs
from .plan import Plan, PlanRun
from .rows import AllocationError
from .segments import join_results

__all__ = ["TiledPlan", "TiledStep", "make_plan"]

_MOST = 64  #: Tiles of a layer.


def make_plan(config, layers, *inputs, keep=None, c_order=False):
    """A Plan, or a TiledPlan where X cannot hold all that is needed at once; see ``Plan``."""
    try:
        return Plan(config, layers, *inputs, keep=keep, c_order=c_order)
    except AllocationError as error:
        if keep is True:
            raise
        return TiledPlan(config, layers, *inputs, error=error)


@dataclass(frozen=True)
class _Part:
    """A plan of some layers, or of a tile of one.

    Parameters
    ----------
    plan : Plan
    layers : range of the layers
    sources : list of (number of a value, slices of it), what it takes
    targets : list of (index of a layer of the plan, number of a value, slices), what it makes
    """

    plan:    Plan
    layers:  range
    sources: list
    targets: list


@dataclass(frozen=True)
class TiledStep:
    """One layer of a TiledPlan: its passes, those of all tiles together."""

    layer:      object
    passes:     range
    kept:       bool
    reordering: str


class TiledPlan:
    """Layers as several programs. Tensors between them lie in the host's memory.

    As many layers as X can hold are a part; a layer that it cannot hold is cut into tiles. What the
    host moves takes no cycles in the counters.

    Parameters
    ----------
    config, layers, inputs : see ``Plan``
    error : AllocationError of the whole, raised for a layer that cannot be cut

    Attributes
    ----------
    parts : list, each with its ``plan``
    steps : tuple of TiledStep, one a layer
    program : tuple of all passes
    """

    keeps_all = False

    def __init__(self, config, layers, *inputs, error=None):
        nodes = list(layers) if isinstance(layers[0], Node) else chain(layers, len(inputs))
        self.config, self._nodes, self._count = config, nodes, len(inputs)
        self._values = list(inputs)
        for node in nodes:
            self._values.append(node.layer.output_like(*check_inputs(node, self._values)))
        self._error = error
        self.parts, start = [], 0
        while start < len(nodes):
            parts = self._longest_part(start) or self._tiles(start)
            self.parts += parts
            start = parts[-1].layers.stop
        self.program = tuple(pass_ for part in self.parts for pass_ in part.plan.program)
        self.steps   = tuple(self._steps())

    def load(self, device):
        """Nothing: every part is loaded when its turn comes."""

    def run(self, device, *inputs):
        """Run on Tensors; returns a PlanRun. Errors are those of ``Plan``."""
        values = dict(enumerate(inputs))
        flags, cells, result = [False] * len(self._nodes), [None] * len(self._nodes), None
        for part in self.parts:
            part.plan.load(device)
            run = part.plan.run(device, *(
                replace(values[number], data=values[number].data[slices])
                for number, slices in part.sources))
            result = run.result if result is None else join_results(result, run.result)
            for layer, overflow, cell in zip(part.layers, run.overflows, run.cells, strict=True):
                flags[layer] |= overflow
                cells[layer]  = cell
            for index, number, slices in part.targets:
                self._store(values, number, slices, run.outputs[index])
        outputs = tuple(values.get(self._count + index) for index in range(len(self._nodes)))
        return PlanRun(outputs, tuple(flags), result, tuple(cells))

    def _store(self, values, number, slices, output):
        """Keep a part of value ``number``; all but the data are those of the whole."""
        if number not in values:
            blank = self._values[number]
            values[number] = replace(blank, data=np.zeros_like(blank.data))
        values[number].data[slices] = output.data

    def _longest_part(self, start):
        """The longest part from layer ``start`` on, in a list, or None if not even that fits."""
        best = None
        for end in range(start + 1, len(self._nodes) + 1):
            try:
                best = self._part(range(start, end))
            except AllocationError:
                break
        return None if best is None else [best]

    def _part(self, layers):
        nodes   = [self._nodes[index] for index in layers]
        first   = self._count + layers.start
        outside = sorted({number for node in nodes for number in node.sources if number < first})
        places  = {number: place for place, number in enumerate(outside)}
        places |= {first + index: len(outside) + index for index in range(len(nodes))}
        local   = [Node(node.layer, tuple(places[number] for number in node.sources))
                   for node in nodes]
        later   = {number for node in self._nodes[layers.stop:] for number in node.sources}
        kept    = [index for index in range(len(nodes))
                   if first + index in later or layers.start + index == len(self._nodes) - 1]
        plan = Plan(self.config, local, *(self._values[number] for number in outside),
                    keep=frozenset(kept))
        return _Part(plan, layers, [(number, ()) for number in outside],
                     [(index, first + index, ()) for index in kept])

    def _tiles(self, index):
        """Parts of layer ``index``, as few as fit."""
        node, number = self._nodes[index], self._count + index
        inputs = [self._values[source] for source in node.sources]
        for count in range(2, _MOST + 1):
            tiles = cut_layer(node.layer, inputs, self._values[number], count)
            if tiles is None:
                break
            with suppress(AllocationError):
                return [self._tile(index, tile) for tile in tiles]
        raise self._error

    def _tile(self, index, tile):
        node    = self._nodes[index]
        inputs  = [replace(self._values[number], data=self._values[number].data[slices])
                   for number, slices in zip(node.sources, tile.sources, strict=True)]
        plan    = Plan(self.config, [Node(tile.layer, tuple(range(len(inputs))))], *inputs)
        return _Part(plan, range(index, index + 1), list(zip(node.sources, tile.sources,
                                                             strict=True)),
                     [(0, self._count + index, tile.target)])

    def _steps(self):
        start, counts, moved = 0, [0] * len(self._nodes), [""] * len(self._nodes)
        tiles = [0] * len(self._nodes)
        for part in self.parts:
            for layer, step in zip(part.layers, part.plan.steps, strict=True):
                counts[layer] += len(step.passes)
                tiles[layer]  += 1
                moved[layer]   = step.reordering
        made = {number for part in self.parts for _, number, _ in part.targets}
        for index, node in enumerate(self._nodes):
            words = [moved[index]] * bool(moved[index])
            words += [f"{tiles[index]} tiles"] * (tiles[index] > 1)
            yield TiledStep(node.layer, range(start, start + counts[index]),
                            self._count + index in made, ", ".join(words))
            start += counts[index]
