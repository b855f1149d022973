"""Recurrent layers of TensorFlow Lite as passes: a call begins with the states of the one before.
"""

from dataclasses import replace

from golden.tflm import Svdf, UnidirectionalSequenceLstm
from hdl.isa import BANKS
from host.lower.made_once import MadeOnce
from host.memory.layout import TensorLayout

from .filters import FilterSteps
from .frames import frame_places
from .sequence import SequenceSteps, check_factors

__all__ = ["SequenceLowering", "SvdfLowering"]


def _state_in_tiles(state, shape, order, ways):
    """TensorLayout of a state whose runs are units, each in whole tiles; so a row has all of one.

    Parameters
    ----------
    state : Tensor of as many elements as ``shape`` has
    shape, order : tuples of int, the dimension of units is the last one of ``order``
    """
    layout = TensorLayout(shape, state.bits, ways, order, 1, (shape[order[-1]],))
    return replace(layout, gap=-layout.pitch % BANKS)


class SvdfLowering(MadeOnce):
    """SVDF."""

    layers = (Svdf,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self.states = (layer.state,)
        self.inputs = (*inputs, layer.state)

    def source_layouts(self, preferred):
        """A run for each batch; the state in whole tiles of units."""
        x, state = self.inputs
        memory   = self.layer.weights_time.shape[1]
        shape    = *self.output.shape, self.layer.rank, memory
        return (TensorLayout.of(x, (0, 1), self.ways),
                _state_in_tiles(state, shape, (0, 3, 2, 1), self.ways))

    def output_layout(self, sources):
        """A run for each batch; ValueError unless the input lies so."""
        frame_places(sources[0], self.output.shape[0])
        return TensorLayout.of(self.output, (0, 1), self.ways)

    def make(self, space, sources, target):
        """Passes of a call."""
        return FilterSteps(self.layer, self.inputs[0], space, sources[0], target).passes()


class SequenceLowering(MadeOnce):
    """UNIDIRECTIONAL_SEQUENCE_LSTM."""

    layers = (UnidirectionalSequenceLstm,)
    needs_tables = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        check_factors(layer)
        self.states  = layer.state, layer.cell
        self.inputs  = (x, *self.states)
        self._frames = x.shape[0] * x.shape[1]

    def source_layouts(self, preferred):
        """A run for each frame; states in whole tiles."""
        return (TensorLayout.of(self.inputs[0], (0, 1, 2), self.ways),
                *(_state_in_tiles(state, state.shape, (0, 1), self.ways) for state in self.states))

    def output_layout(self, sources):
        """A run for each output, the last one in whole tiles; ValueError unless the input lies
        frame by frame."""
        frame_places(sources[0], self._frames)
        target = TensorLayout.of(self.output, (0, 1, 2), self.ways)
        last   = target.groups - target.pitch + sources[1].distance
        return replace(target, behind=-(-last // target.row_groups) - target.rows)

    def make(self, space, sources, target):
        """Passes of all steps."""
        return SequenceSteps(self.layer, self.inputs[0], space, sources[0], target,
                             sources[1].distance).passes()
