# SPDX-License-Identifier: Apache-2.0
"""Moves and helpers against plain loops over coordinates."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive.mli1 import random_tensor
from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.mli1 import (
    Concat,
    Layout,
    Padding2d,
    Permute,
    Subtensor,
    concat,
    count_elem_num,
    element_size,
    padding2d,
    permute,
    point_to_subtensor,
)

many   = settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(200))
seeds  = st.integers(0, 2 ** 32 - 1)
dtypes = st.sampled_from([np.int8, np.int16])


def make(seed, shape, dtype=np.int8, frac_bits=9):
    return random_tensor(random_of(seed), shape, dtype, frac_bits)


def assert_moved(result, x, expected):
    np.testing.assert_array_equal(result.output.data, expected)
    assert result.output.data.dtype == x.data.dtype
    assert result.output.frac_bits == x.frac_bits
    assert result.overflow is False


@many
@given(seeds, dtypes, st.data())
def test_concat_matches_loops(seed, dtype, data):
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    axis  = data.draw(st.integers(0, len(shape) - 1))
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=8))
    inputs = [make(seed + n, [*shape[:axis], size, *shape[axis + 1:]], dtype)
              for n, size in enumerate(sizes)]
    expected = np.zeros([*shape[:axis], sum(sizes), *shape[axis + 1:]], dtype)
    for place in np.ndindex(expected.shape):
        number, rest = 0, place[axis]
        while rest >= sizes[number]:
            number, rest = number + 1, rest - sizes[number]
        expected[place] = inputs[number].data[(*place[:axis], rest, *place[axis + 1:])]

    result = run(Concat(axis), *inputs)

    assert_moved(result, inputs[0], expected)
    assert result.output.shape == Concat(axis).output_shape(*(x.shape for x in inputs))
    assert concat(*inputs, axis=axis) == result


@pytest.mark.parametrize("order", [order for rank in (1, 2, 3, 4)
                                   for order in permutations(range(rank))], ids=str)
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_permute_matches_loops(order, dtype):
    x = make(len(order), (2, 3, 4, 5)[:len(order)], dtype)
    expected = np.zeros([x.shape[axis] for axis in order], dtype)
    for place in np.ndindex(expected.shape):
        source = [0] * len(order)
        for coordinate, axis in zip(place, order, strict=True):
            source[axis] = coordinate
        expected[place] = x.data[tuple(source)]

    result = run(Permute(order), x)

    assert_moved(result, x, expected)
    assert result.output.shape == Permute(order).output_shape(x.shape)
    assert permute(x, order) == result


@many
@given(seeds, dtypes, st.tuples(*[st.integers(1, 4)] * 3), st.tuples(*[st.integers(0, 3)] * 4),
       st.sampled_from(Layout))
def test_padding2d_matches_loops(seed, dtype, shape, pad, layout):
    x = make(seed, shape, dtype)
    first = 1 if layout is Layout.CHW else 0
    sizes = list(shape)
    sizes[first]     += pad[0] + pad[1]
    sizes[first + 1] += pad[2] + pad[3]
    expected = np.zeros(sizes, dtype)
    for place in np.ndindex(shape):
        target = list(place)
        target[first]     += pad[0]
        target[first + 1] += pad[2]
        expected[tuple(target)] = x.data[place]

    result = run(Padding2d(pad, layout), x)

    assert_moved(result, x, expected)
    assert result.output.shape == Padding2d(pad, layout).output_shape(shape)
    assert padding2d(x, pad, layout=layout) == result


@many
@given(seeds, dtypes, st.data())
def test_subtensor_is_a_run_of_elements(seed, dtype, data):
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    count = data.draw(st.integers(1, len(shape)))
    start = tuple(data.draw(st.integers(0, size - 1)) for size in shape[:count])
    size  = data.draw(st.integers(1, shape[count - 1] - start[-1]))
    x     = make(seed, shape, dtype)
    offset = sum(coordinate * count_elem_num(x, axis + 1) for axis, coordinate in enumerate(start))
    length = size * count_elem_num(x, count)

    out = point_to_subtensor(x, start, size)

    assert out.data.ravel().tolist() == x.data.ravel().tolist()[offset:offset + length]
    assert out.shape == (size, *shape[count:]) == Subtensor(start, size).output_shape(x.shape)
    assert out.frac_bits == x.frac_bits
    assert np.shares_memory(out.data, x.data)
    assert run(Subtensor(start, size), x).output == out


def test_counts():
    x = make(0, (2, 3, 4), np.int16)
    assert [count_elem_num(x, axis) for axis in range(4)] == [24, 12, 4, 1]
    assert count_elem_num(x) == 24
    assert (element_size(x), element_size(make(0, (2,)))) == (2, 1)
    with pytest.raises(ValueError, match=r"^start_dim must be between 0 and 3, not 4$"):
        count_elem_num(x, 4)
    with pytest.raises(TypeError, match=r"^start_dim must be an int, not float$"):
        count_elem_num(x, 1.0)
    with pytest.raises(TypeError, match=r"^Input must be a Tensor, not ndarray$"):
        element_size(x.data)


X    = make(1, (2, 3, 4))
WIDE = make(1, (2, 3, 4), np.int16)
FLAT = make(1, (2, 3))


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (Concat(3), (X,), r"^axis must be between 0 and 2, not 3$"),
    (Concat(-1), (X,), r"^axis must be between 0 and 2, not -1$"),
    (Concat(0), (), r"^Concat takes 1 to 255 tensors, not 0$"),
    (Concat(0), (X,) * 256, r"^Concat takes 1 to 255 tensors, not 256$"),
    (Concat(0), (X, make(1, (2, 0, 4))), r"^Input 1 must not be empty, but has shape \(2, 0, 4\)$"),
    (Concat(0), (X, WIDE),
     r"^Input 0 has 8 bits, 9 of them fractional, input 1 has 16 and 9$"),
    (Concat(0), (X, X, make(1, (2, 3, 4), np.int8, 8)),
     r"^Input 0 has 8 bits, 9 of them fractional, input 2 has 8 and 8$"),
    (Concat(0), (X, make(1, (2, 3, 5))),
     r"^Input 0 has shape .*, input 1 has \(2, 3, 5\), which may differ in dimension 0 only$"),
    (Concat(0), (X, FLAT), r"^Input 0 has shape \(2, 3, 4\), input 1 has \(2, 3\), which "),
    (Permute((0, 1, 1)), (X,),
     r"^order must hold every dimension from 0 to 2 once, not \(0, 1, 1\)$"),
    (Permute((0, 1, 3)), (X,), r"^order must hold every dimension from 0 to 2 once, not "),
    (Padding2d((0, 0, 0, -1)), (X,), r"^Padding must be at least 0, not -1$"),
    (Padding2d((0, 0, 0, 1)), (FLAT,), r"^Input must have 3 dimensions, not 2$"),
    (Subtensor((2,), 1), (X,), r"^Coordinate 0 must be between 0 and 1, not 2$"),
    (Subtensor((0, -1), 1), (X,), r"^Coordinate 1 must be between 0 and 2, not -1$"),
    (Subtensor((0, 1), 3), (X,), r"^first_out_dim_size must be between 1 and 2, not 3$"),
    (Subtensor((0, 1), 0), (X,), r"^first_out_dim_size must be between 1 and 2, not 0$"),
])
def test_refusals(layer, inputs, message):
    with pytest.raises(ValueError, match=message):
        run(layer, *inputs)


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (Concat(None), (X,), r"^axis must be an int, not NoneType$"),
    (Concat(0), (X, 1), r"^Input 1 must be a Tensor, not int$"),
    (Permute((0, 1)), (X,), r"^order must be a tuple of 3 ints, not \(0, 1\)$"),
    (Permute([0, 1, 2]), (X,), r"^order must be a tuple of 3 ints, not \[0, 1, 2\]$"),
    (Padding2d(1), (X,), r"^pad must be a tuple of 4 ints, not 1$"),
    (Padding2d((0,) * 4, "chw"), (X,), r"^layout must be a Layout, not str$"),
    (Subtensor((0, 0, 0, 0), 1), (X,),
     r"^start must be a tuple of 1 to 3 ints, not \(0, 0, 0, 0\)$"),
    (Subtensor((), 1), (X,), r"^start must be a tuple of 1 to 3 ints, not \(\)$"),
    (Subtensor((0.0,), 1), (X,), r"^start must be a tuple of 1 ints, not \(0.0,\)$"),
    (Subtensor((0,), True), (X,), r"^first_out_dim_size must be an int, not bool$"),
    (Permute((0, 1, 2)), (X, X), r"^Inputs of Permute must be 1, not 2$"),
])
def test_type_refusals(layer, inputs, message):
    with pytest.raises(TypeError, match=message):
        run(layer, *inputs)
