"""Graphs whose tensors X cannot hold together: plans one after the other, the host between them."""

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from .graph import check_inputs, name_refusals, nodes_of
from .plan import Plan, PlanRun
from .rows import AllocationError
from .segments import join_results
from .tiles import plan_tiles

__all__ = ["TiledPlan", "TiledStep", "make_plan"]

def make_plan(config, layers, *inputs, keep=None, c_order=False):
    """A Plan, or a TiledPlan where X cannot hold all that is needed at once; see ``Plan``."""
    try:
        return Plan(config, layers, *inputs, keep=keep, c_order=c_order)
    except AllocationError:
        if keep is True:
            raise
        return TiledPlan(config, layers, *inputs)


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
    remarks:    str


class TiledPlan:
    """Layers as several programs. Tensors between them lie in the host's memory.

    As many layers as X can hold are a part; a layer that it cannot hold is cut into tiles. What the
    host moves takes no cycles in the counters.

    Parameters
    ----------
    config, layers, inputs : see ``Plan``; AllocationError for a layer that cannot be cut

    Attributes
    ----------
    parts : list, each with its ``plan``
    steps : tuple of TiledStep, one a layer
    program : tuple of all passes
    """

    keeps_all = False

    def __init__(self, config, layers, *inputs):
        nodes = nodes_of(layers, len(inputs))
        self.config, self._nodes, self._count = config, nodes, len(inputs)
        self._values = list(inputs)
        for node in nodes:
            with name_refusals(node, nodes):
                self._values.append(node.layer.output_like(*check_inputs(node, self._values)))
        self.parts, start = [], 0
        while start < len(nodes):
            try:
                parts = [self._longest_part(start)]
            except AllocationError as error:
                parts = self._tiles(start, error)
            self.parts += parts
            start = parts[-1].layers.stop
        self.program = tuple(pass_ for part in self.parts for pass_ in part.plan.program)
        self.steps   = tuple(self._steps())

    def load(self, device):
        """Nothing: every part is loaded when its turn comes."""

    @property
    def states(self):
        """See ``Plan``."""
        return self._join_states(part.plan.states for part in self.parts)

    def _join_states(self, states):
        """States of all layers from those of every part."""
        joined = [()] * len(self._nodes)
        for part, each in zip(self.parts, states, strict=True):
            joined[part.layers.start:part.layers.stop] = each
        return tuple(joined)

    def run(self, device, *inputs, states=None):
        """Run on Tensors; returns a PlanRun. Errors are those of ``Plan``."""
        values, kept = dict(enumerate(inputs)), []
        flags, cells, result = [False] * len(self._nodes), [None] * len(self._nodes), None
        for part in self.parts:
            part.plan.load(device)
            run = part.plan.run(device, *(
                values[number].take(slices) if slices else values[number]
                for number, slices in part.sources),
                states=None if states is None else states[part.layers.start:part.layers.stop])
            kept.append(run.states)
            result = run.result if result is None else join_results(result, run.result)
            for layer, overflow, cell in zip(part.layers, run.overflows, run.cells, strict=True):
                flags[layer] |= overflow
                cells[layer]  = cell
            for index, number, slices in part.targets:
                self._store(values, number, slices, run.outputs[index])
        outputs = tuple(values.get(self._count + index) for index in range(len(self._nodes)))
        return PlanRun(outputs, tuple(flags), result, tuple(cells), self._join_states(kept))

    def _store(self, values, number, slices, output):
        """Keep a part of value ``number``; all but the data are those of the whole."""
        if number not in values:
            blank = self._values[number]
            values[number] = replace(blank, data=np.zeros_like(blank.data))
        values[number].data[slices] = output.data

    def _longest_part(self, start):
        """The longest part from layer ``start`` on; AllocationError if not even that fits."""
        best = self._part(range(start, start + 1))
        for end in range(start + 2, len(self._nodes) + 1):
            with suppress(AllocationError):
                best = self._part(range(start, end))
                continue
            break
        return best

    def _part(self, layers):
        nodes   = [self._nodes[index] for index in layers]
        first   = self._count + layers.start
        outside = sorted({number for node in nodes for number in node.sources if number < first})
        places  = {number: place for place, number in enumerate(outside)}
        places |= {first + index: len(outside) + index for index in range(len(nodes))}
        local   = [replace(node, sources=tuple(places[number] for number in node.sources))
                   for node in nodes]
        later   = {number for node in self._nodes[layers.stop:] for number in node.sources}
        kept    = [index for index in range(len(nodes))
                   if first + index in later or layers.start + index == len(self._nodes) - 1]
        plan = Plan(self.config, local, *(self._values[number] for number in outside),
                    keep=frozenset(kept))
        return _Part(plan, layers, [(number, ()) for number in outside],
                     [(index, first + index, ()) for index in kept])

    def _tiles(self, index, error):
        """Parts of layer ``index``, which does not fit as a whole, as few as there can be."""
        node   = self._nodes[index]
        inputs = [self._values[source] for source in node.sources]
        return [_Part(tile.plan, range(index, index + 1),
                      [(number, slices) for number, slices in zip(node.sources, tile.sources,
                                                                  strict=True)
                       if slices is not None],
                      [(0, self._count + index, tile.target)])
                for tile in plan_tiles(self.config, node, inputs, error)]

    def _steps(self):
        start, counts, moved = 0, [0] * len(self._nodes), [""] * len(self._nodes)
        tiles = [0] * len(self._nodes)
        for part in self.parts:
            for layer, step in zip(part.layers, part.plan.steps, strict=True):
                counts[layer] += len(step.passes)
                tiles[layer]  += 1
                moved[layer]   = step.remarks
        made = {number for part in self.parts for _, number, _ in part.targets}
        for index, node in enumerate(self._nodes):
            words = [moved[index]] * bool(moved[index])
            words += [f"{tiles[index]} tiles"] * (tiles[index] > 1)
            yield TiledStep(node.layer, range(start, start + counts[index]),
                            self._count + index in made, ", ".join(words))
            start += counts[index]
