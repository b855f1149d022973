# SPDX-License-Identifier: Apache-2.0
"""Layers with states as passes: a call starts from the previous call's states."""

from dataclasses import replace

from xymac.hdl.isa import BANKS
from xymac.host.ir.recurrent.sequence import Filters, SequenceLstm
from xymac.host.ir.tile import Tile, along, cut_evenly, whole
from xymac.host.lower.made_once import MadeOnce
from xymac.host.memory.layout import TensorLayout

from .filters import FilterSteps
from .frames import refuse_frames
from .parts import cut_batches, cut_steps
from .sequence import SequenceSteps

__all__ = ["FilterLowering", "SequenceLowering"]


def _state_in_tiles(state, shape, order, ways):
    """State TensorLayout with units as runs in whole tiles, so that a row has elements from a
    single run.

    Parameters
    ----------
    state : Tensor with as many elements as ``shape``
    shape, order : int tuples; the last dimension in ``order`` is the units
    """
    layout = TensorLayout(shape, state.bits, ways, order, 1, (shape[order[-1]],))
    return replace(layout, gap=-layout.pitch % BANKS)


class FilterLowering(MadeOnce):
    """Filters with memory."""

    forms = (Filters,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self.states = self.form.states
        self.inputs = (*inputs, *self.states)

    def cut(self, count, *, constants=False):
        """Batch ranges; unit ranges if batches are too few or ``constants`` must shrink."""
        x, state = self.inputs
        batches = None if constants else cut_batches(
            lambda part: replace(self.layer, state=part), self.states, x, self.output, count)
        return batches or [self._some_units(x, state, first, end) for first, end
                           in cut_evenly(self.output.shape[1], count) or []] or None

    def _some_units(self, x, state, first, end):
        """Tile with units ``first`` to ``end - 1``."""
        layer   = self.layer
        filters = slice(first * layer.rank, end * layer.rank)
        memory  = layer.weights_time.shape[1]
        states  = along(state.shape, 1, filters.start * memory, filters.stop * memory)
        part    = replace(layer, weights_feature=layer.weights_feature.take((filters,)),
                          weights_time=layer.weights_time.take((filters,)),
                          bias=layer.bias.take((slice(first, end),)), state=state.take(states))
        return Tile(part, (whole(x.shape),), along(self.output.shape, 1, first, end), (states,))

    def source_layouts(self, preferred):
        """A run per batch; the state in whole tiles of units."""
        x, state = self.inputs
        shape    = *self.output.shape, self.form.rank, self.form.times.shape[1]
        return (TensorLayout.of(x, (0, 1), self.ways),
                _state_in_tiles(state, shape, (0, 3, 2, 1), self.ways))

    def refuses(self, sources):
        """An input without a run per batch."""
        return refuse_frames(sources[0], self.output.shape[0])

    def output_layout(self, sources):
        """A run per batch."""
        return TensorLayout.of(self.output, (0, 1), self.ways)

    def make(self, space, sources, target):
        """Passes per call."""
        return FilterSteps(self.form, space, sources[0], target).passes()


class SequenceLowering(MadeOnce):
    """An LSTM cell over all steps."""

    forms = (SequenceLstm,)
    needs_tables = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        self.states  = self.form.states
        self.inputs  = (x, *self.states)
        self._frames = x.shape[0] * x.shape[1]

    def cut(self, count, *, constants=False):
        """Step ranges; batch ranges if step tiles would mostly duplicate fixed storage."""
        if constants:
            return None
        layer, x = self.layer, self.inputs[0]
        steps, batches = (0, 1) if self.form.time_major else (1, 0)
        source, *states = self.source_layouts(None)
        target = self.target_layout((source, *states))
        always = target.before + sum(state.rows for state in states)
        tiles  = None
        if always * count > source.rows + target.rows:
            tiles = cut_batches(lambda state, cell: replace(layer, state=state, cell=cell),
                                self.states, x, self.output, count, axis=batches)
        return tiles or cut_steps((layer, layer), x, self.output, count, axis=steps)

    def source_layouts(self, preferred):
        """A run per frame; states in whole tiles."""
        return (TensorLayout.of(self.inputs[0], (0, 1, 2), self.ways),
                *(_state_in_tiles(state, state.shape, (0, 1), self.ways) for state in self.states))

    def refuses(self, sources):
        """An input without a run per frame."""
        return refuse_frames(sources[0], self._frames)

    def output_layout(self, sources):
        """A run per output, the last in whole tiles."""
        target = TensorLayout.of(self.output, (0, 1, 2), self.ways)
        last   = target.groups - target.pitch + sources[1].distance
        return replace(target, behind=-(-last // target.row_groups) - target.rows)

    def make(self, space, sources, target):
        """All step passes."""
        return SequenceSteps(self.form, space, sources[0], target,
                             sources[1].distance).passes()
