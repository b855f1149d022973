"""Recurrent cells as passes: a whole sequence is a loop of passes.

The initial states are constants that the program brings to where the steps find them, so that it
can run again and again.
"""

from dataclasses import replace

import numpy as np

from golden.mli1 import BasicRnnCell, LstmCell, RnnMode
from hdl.isa import BANKS, Memory
from host.lower.linear.mli1 import aligned_bias
from host.memory.constants import Constants, lane_words
from host.memory.formats import blank_output
from host.memory.layout import TensorLayout
from host.memory.packing import pack_bias, pack_vectors

from .steps import BasicSteps, LstmSteps, Sizes

__all__ = ["constants", "lower", "source_layouts", "state_layout", "target_layout"]

_STEPS = {BasicRnnCell: BasicSteps, LstmCell: LstmSteps}
_ORDER = (0, 2, 3, 1)  #: Gates of an LSTM cell as their tiles follow: the candidates are last.
_IN_Y  = 3  #: Gates, or what comes of them, that an LSTM cell keeps in Y.


def source_layouts(layer, xs, preferred, ways):
    """One step after the other; the input of one step as it comes."""
    [x] = xs
    rank = len(x.shape)
    inner = rank if layer.mode is RnnMode.ONE_TO_ONE else rank - 1
    return (TensorLayout.of(x, range(rank), ways, inner=inner),)


def target_layout(layer, xs, sources):
    """Outputs one after the other, behind the gates and the initial state.

    ValueError if the inputs of the steps lie in different ways.
    """
    [x], [source] = xs, sources
    _frame_places(layer, x, source)
    out, sizes = blank_output(layer, x), Sizes.of(layer, x, source)
    batch  = layer.mode is RnnMode.BATCH_TO_BATCH
    image  = TensorLayout.of(out, range(len(out.shape)), source.ways,
                      inner=1 if batch else len(out.shape))
    gates  = (sizes.gates - 1) * sizes.tiles * BANKS
    before = _rows(gates, image) + _rows(sizes.state_tiles * BANKS, image)
    last   = image.groups - image.pitch + sizes.tiles * BANKS  # the last output in whole tiles
    return replace(image, before=before, behind=_rows(last, image) - image.rows)


def constants(layer, xs, sources):
    """Pack weights, biases and initial states of ``layer`` as its steps take them."""
    [x], [source] = xs, sources
    sizes, ways = Sizes.of(layer, x, source), source.ways
    shift  = x.frac_bits + layer.weights.frac_bits - layer.bias.frac_bits
    biases = [_tiles(layer, aligned_bias(layer.bias, shift), sizes, ways),
              layer.h.data.astype(np.int64)]
    room   = 0
    if isinstance(layer, LstmCell):
        biases.append(layer.cell.data.astype(np.int64))
        room = _IN_Y * _rows(sizes.tiles * BANKS, source.at(0, Memory.Y))
    cells = [lane_words(np.array([0, 1], np.int8), ways).weights,
             _weights(layer, x, source, sizes)]
    return Constants(np.concatenate(cells), BANKS * ways * ways, room=room,
                     bias=np.concatenate([pack_bias(values, ways) for values in biases]))


def _weights(layer, x, source, sizes):
    """Cells of the weights: for every output those of the groups of a frame, then of the state."""
    inputs  = x.data.size // sizes.steps
    places  = _frame_places(layer, x, source)
    weights = _tiles(layer, layer.weights.data, sizes, source.ways)
    frames  = np.where(places < 0, 0, weights[:, places]).astype(weights.dtype)
    return pack_vectors(np.hstack([frames, weights[:, inputs:]])[:, None], source.ways)


def _tiles(layer, values, sizes, ways):
    """Values for the outputs of every gate, in whole tiles of outputs."""
    gates  = values.reshape(sizes.gates, -1, *values.shape[layer.bias.data.ndim:])
    padded = np.zeros((sizes.gates, sizes.tiles * BANKS * ways, *gates.shape[2:]), values.dtype)
    padded[:, :gates.shape[1]] = gates
    return padded[list(_ORDER[:sizes.gates])].reshape(-1, *gates.shape[2:])


def lower(layer, xs, sources, target, values):
    """Passes of a recurrent cell; see ``host.lower.registry.lower``."""
    [x], [source] = xs, sources
    steps = _STEPS[type(layer)](layer, x, source, target, values)
    state, single, loop, times = _sequence(layer, steps, target.base)
    before, body = ([pass_ for step in part for pass_ in steps.step(*step)]
                    for part in (single, loop))
    if times > 1:
        outputs = target.pitch if layer.mode is RnnMode.BATCH_TO_BATCH else 0
        body[-1] = replace(body[-1], back=len(body) - 1, repeat=times - 1,
                           advance=(len(loop) * steps.sizes.frame, outputs))
    return [*steps.begin(state), *before, *body]


def state_layout(layer, target, values):
    """TensorLayout of the new state that an LSTM cell with placed Constants leaves in Y."""
    return TensorLayout.flat(layer.cell, target.ways).at(values.room_row, Memory.Y)


def _sequence(layer, steps, out):
    """Where the initial state goes, the steps before a loop, those of the loop, how often it runs.

    A step is a frame and the groups of the previous output and of the new one; ``out`` is the
    group of the first output. If it must not overwrite the previous one they change places.
    """
    sizes = steps.sizes
    if layer.mode is RnnMode.BATCH_TO_BATCH or sizes.steps == 1:
        row = out - sizes.state
        return row, [], [(0, row, out)], sizes.steps
    if steps.in_place:
        return out, [], [(0, out, out)], sizes.steps
    odd, other = sizes.steps % 2, out - sizes.state_tiles * BANKS
    loop = [(odd, out, other), (odd + 1, other, out)]
    return (other if odd else out), [(0, other, out)] * odd, loop, sizes.steps // 2


def _rows(groups, image):
    """Rows for so many groups of elements like those of ``image``."""
    return -(-groups // image.row_groups)


def _frame_places(layer, x, source):
    """Place of every element of the groups of a step in the flattened input of that step, -1 for
    padding; ValueError unless all steps lie alike, one after the other."""
    steps = len(layer.frames(x))
    if source.groups % steps == 0:
        places = source.places().reshape(steps, -1)
        starts = np.arange(steps)[:, None] * (x.data.size // steps)
        if np.array_equal(places, np.where(places[0] < 0, -1, places[0] + starts)):
            return places[0]
    raise ValueError(f"The layer takes {steps} steps one after the other, its input of shape "
                     f"{source.shape} lies in the order {source.order}, {source.inner} of them in "
                     f"a run")
