# SPDX-License-Identifier: Apache-2.0
"""Tensors taken from memory with gaps and put there, against plain loops."""

from itertools import product

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.golden import run
from xymac.golden.mli2 import Affine, Element, Fixed, QuantTensor
from xymac.golden.views import PutView, Stored, TakeView, ZeroPad, memory_of, span_of

TYPES = {np.int8: (Element.SA_8, Affine(3, 5, 7)), np.int16: (Element.FX_16, Fixed(4)),
         np.int32: (Element.SA_32, Affine(0, 1, 0))}


def random(shape, dtype, rng):
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def tensor(shape, dtype, rng):
    return QuantTensor(random(shape, dtype, rng), *TYPES[dtype])


def memory(shape, strides, dtype, rng):
    return Stored(memory_of(random(span_of(shape, strides), dtype, rng)))


def place_of(index, strides):
    return sum(at * step for at, step in zip(index, strides, strict=True))


def element(data, place, dtype):
    """An element of memory, its bytes put together one by one."""
    size = np.dtype(dtype).itemsize
    return int.from_bytes(data.tobytes()[place * size:(place + 1) * size], "little", signed=True)


CALLS = [((3, 4), (9, 2), np.int8), ((2, 3, 2), (20, 6, 3), np.int16), ((5,), (3,), np.int32),
         ((2, 3), (3, 2), np.int16), ((1, 1), (7, 1), np.int8), ((4, 2), (2, 1), np.int32),
         ((2, 2, 2, 2), (31, 13, 5, 2), np.int32)]


@pytest.mark.parametrize(("shape", "strides", "dtype"), CALLS)
def test_elements_are_taken_from_their_places(shape, strides, dtype):
    rng  = random_of(1)
    like = tensor(shape, dtype, rng)
    x    = memory(shape, strides, dtype, rng)

    taken = run(TakeView(like, strides), x).output

    assert (taken.element, taken.format) == (like.element, like.format)
    for index in product(*map(range, shape)):
        assert taken.data[index] == element(x.data, place_of(index, strides), dtype)


@pytest.mark.parametrize(("shape", "strides", "dtype"), CALLS)
def test_elements_are_put_to_their_places_and_gaps_stay(shape, strides, dtype):
    rng    = random_of(2)
    x      = tensor(shape, dtype, rng)
    before = memory(shape, strides, dtype, rng)

    after = run(PutView(strides), x, before).output

    places = {place_of(index, strides): int(x.data[index]) for index in product(*map(range, shape))}
    for place in range(span_of(shape, strides)):
        assert element(after.data, place, dtype) == places.get(
            place, element(before.data, place, dtype))


@pytest.mark.parametrize("part", [np.s_[1:4, ::2, 1:5], np.s_[:, 3], np.s_[2:3], np.s_[...]])
@pytest.mark.parametrize("dtype", TYPES)
def test_memory_of_a_slice_is_what_lies_between_its_ends(part, dtype):
    array = random((5, 6, 7), dtype, random_of(3))
    view  = array[part]
    start = (view.__array_interface__["data"][0] - array.__array_interface__["data"][0]
             ) // array.itemsize
    end   = start + span_of(view.shape, [step // array.itemsize for step in view.strides])

    assert memory_of(view).tobytes() == array.ravel()[start:end].tobytes()
    assert np.shares_memory(memory_of(view), array)


@pytest.mark.parametrize(("strides", "size", "message"), [
    ((4, 1), 10, (r"Memory must be int8 of shape \(11,\) at least for elements of shape \(3, 3\) "
                 r"with strides \(4, 1\), not int8 of shape \(10,\)")),
    ((3, 0), 7, r"strides must be at least 1, not \(3, 0\)"),
    ((2, 2), 9, r"Elements must not overlap, but shape \(3, 3\) with strides \(2, 2\) overlaps")])
def test_what_cannot_be_put_is_refused(strides, size, message):
    x = tensor((3, 3), np.int8, random_of(4))
    with pytest.raises(ValueError, match=message):
        run(PutView(strides), x, Stored(np.zeros(size, np.int8)))


def test_strides_are_one_a_dimension():
    x = tensor((3, 3), np.int8, random_of(4))
    with pytest.raises(TypeError, match="strides must be a tuple of 2 ints"):
        run(TakeView(x, (1,)), Stored(np.zeros(9, np.int8)))


def test_zeros_lie_around():
    result = run(ZeroPad(((1, 0), (0, 2))), Stored(np.array([[1, 2]], np.int8)))
    assert result.output == Stored(np.array([[0, 0, 0, 0], [1, 2, 0, 0]], np.int8))


@pytest.mark.parametrize("pads", [((1, 0),), ((0, 0), (0, -1))])
def test_pads_must_be_of_every_dimension(pads):
    with pytest.raises(ValueError, match=r"^pads must be pairs from 0 on for 2 dimensions, not \("):
        run(ZeroPad(pads), Stored(np.zeros((2, 3), np.int8)))
