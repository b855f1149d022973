# SPDX-License-Identifier: Apache-2.0
"""Functions along a dimension: every dimension gives what the last one gives, moved there."""

import numpy as np
import pytest

from tests.support.broken import ARGMAX, L2, PRELU, SOFTMAX, call_of
from tests.support.calls.mli2 import CHECKED, OK, PATTERN, sa
from tests.support.calls.mli2_built import legal
from tests.support.seed import random_of
from xymac.golden.api.mli2.configs import mli_rnn_results
from xymac.golden.api.mli2.memory import read
from xymac.golden.api.mli2.types import mli_data_container, mli_tensor
from xymac.golden.mli2 import Build

LIBRARY = CHECKED[Build.UP_FULL]
SHAPE   = (6, 4, 3)


def along(function, axis, move):
    """Output of a call along a dimension, with this dimension last in memory if ``move``."""
    args = call_of(function)
    data = random_of(3).integers(-128, 128, SHAPE).astype(np.int8)
    last = 2 if move else axis
    held = np.ascontiguousarray(np.moveaxis(data, axis, last))
    args["in_"] = mli_tensor(held, el_params=args["in_"].el_params)
    args["cfg"].axis = last
    if function == PRELU:
        slopes = random_of(4).integers(-128, 128, SHAPE[axis]).astype(np.int8)
        shape  = [1, 1, 1]
        shape[last] = -1
        args["slope_coeff"] = mli_tensor(slopes.reshape(shape),
                                         el_params=args["slope_coeff"].el_params)
    args["out"] = mli_tensor(np.full(held.shape, PATTERN, np.int8),
                             el_params=args["out"].el_params)

    assert LIBRARY.function(function)(**args) is OK

    return np.moveaxis(read(args["out"]), last, axis)


@pytest.mark.parametrize("function", [PRELU, SOFTMAX, L2])
@pytest.mark.parametrize("axis", [0, 1])
def test_every_dimension_is_as_the_last(function, axis):
    there = along(function, axis, move=False)

    np.testing.assert_array_equal(there, along(function, axis, move=True))
    assert len(np.unique(there)) > 5


@pytest.mark.parametrize("axis", [-9, -1, 0, 1, 2])
def test_places_of_the_largest_along_every_dimension(axis):
    args = call_of(ARGMAX)
    data = random_of(5).permutation(72).astype(np.int8).reshape(SHAPE)
    args["in_"] = mli_tensor(data, el_params=sa())
    args["cfg"].axis, args["cfg"].topk = axis, 1
    rest = 1 if axis < 0 else SHAPE[axis]
    args["out"].data = mli_data_container(mem=np.full(4 * rest, PATTERN, np.int8))

    assert LIBRARY.function(ARGMAX)(**args) is OK

    slices = [data] if axis < 0 else [np.take(data, [index], axis) for index in range(rest)]
    where  = np.arange(72).reshape(SHAPE)
    assert read(args["out"]).ravel().tolist() == [
        int(where[data == part.max()][0]) for part in slices]


def states(name, frames, strides):
    """What a cell writes to memory of 40 words, by frames, and its elements of each."""
    args = legal(name)
    data = random_of(6).integers(-999, 999, (frames, args["in_"].shape[1])).astype(np.int16)
    size = args["prev_out"].shape[0]
    rank = len(strides)
    args["in_"] = mli_tensor(data, el_params=args["in_"].el_params)
    args["cfg"].results = mli_rnn_results.RNN_OUT_ALL
    args["out"] = mli_tensor(np.full(40, PATTERN, np.int16), (frames, *(1,) * (rank - 2), size),
                             (*strides, *(0,) * (4 - rank)), rank=rank,
                             el_params=args["out"].el_params)

    assert LIBRARY.function(name)(**args) is OK

    return args["out"].data.mem.pi16.tolist(), size


@pytest.mark.parametrize("frames", [1, 2, 3])
@pytest.mark.parametrize("name", ["mli_krn_lstm_cell_fx16", "mli_krn_gru_cell_fx16"])
def test_frames_of_a_cell_lie_apart_by_the_first_stride(name, frames):
    dense, size = states(name, frames, (0, 0))
    apart = [PATTERN] * 40
    for frame in range(frames):
        apart[9 * frame:9 * frame + size] = dense[size * frame:size * (frame + 1)]

    assert dense[frames * size:] == [PATTERN] * (40 - frames * size)
    assert states(name, frames, (9, 1))[0] == apart
    # With another rank than that of the result only the stride between frames counts.
    assert states(name, frames, (9, 9, 1))[0] == apart


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_a_dense_output_of_another_rank_lies_without_gaps(rank):
    args  = legal("mli_krn_rnn_dense_fx16")
    whole = legal("mli_krn_rnn_dense_fx16")["out"]
    count = whole.shape[0]
    args["out"] = mli_tensor(np.full(40, PATTERN, np.int16), (1,) * (rank - 1) + (count,),
                             (7,) * (rank - 1) + (1,) + (0,) * (4 - rank), rank=rank,
                             el_params=whole.el_params)
    wanted = legal("mli_krn_rnn_dense_fx16")

    assert LIBRARY.mli_krn_rnn_dense_fx16(**args) is OK
    assert LIBRARY.mli_krn_rnn_dense_fx16(**wanted) is OK

    assert args["out"].data.mem.pi16[:count].tolist() == read(wanted["out"]).tolist()
    assert set(args["out"].data.mem.pi16[count:].tolist()) == {PATTERN}
