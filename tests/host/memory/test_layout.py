# SPDX-License-Identifier: Apache-2.0
"""Where the elements of a tensor lie in the cells of X and Y."""

from dataclasses import replace
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.lowered import tensors
from tests.support.seed import SEED, examples, random_of
from xymac.golden.mli1 import Tensor
from xymac.golden.mli2 import Affine, Element, QuantTensor
from xymac.hdl.config import TINY
from xymac.hdl.isa import Memory
from xymac.host.memory.layout import TensorLayout


@st.composite
def images(draw):
    """A tensor and an image of it in any order, with runs in any parts."""
    x      = draw(tensors())
    ways   = draw(st.sampled_from([1, 2, 4]))
    order  = tuple(draw(st.permutations(range(x.data.ndim))))
    inner  = draw(st.integers(min(1, len(order)), len(order)))
    run    = prod(x.shape[axis] for axis in order[len(order) - inner:])
    cuts   = sorted(draw(st.sets(st.integers(1, max(1, run - 1)), max_size=3)) - {run})
    parts  = tuple(int(part) for part in np.diff([0, *cuts, run]))
    image  = TensorLayout.of(x, order, ways, inner=inner, parts=parts)
    return x, replace(image, memory=draw(st.sampled_from(Memory)))


@settings(max_examples=examples(200), derandomize=SEED.is_default, deadline=None, database=None)
@given(images(), st.integers(0, 3))
def test_what_is_written_is_read_back(case, gap):
    x, image = case
    image = replace(image, gap=gap)
    cells = image.cells(x.data)
    assert cells.size == image.rows * image.row_cells
    assert Tensor(image.data(cells), x.frac_bits) == x
    assert image.data(cells).shape == x.shape


@settings(max_examples=examples(100), derandomize=SEED.is_default, deadline=None, database=None)
@given(images())
def test_places_name_every_element_once(case):
    x, image = case
    places = image.places()
    assert places.size == image.groups * image.ways
    assert sorted(places[places >= 0]) == list(range(x.data.size))


def test_runs_and_parts_start_at_a_group():
    """2 rows of 3 pixels with 5 channels, of which the first 3 came from elsewhere."""
    x = Tensor(np.arange(30, dtype=np.int8).reshape(5, 2, 3), 0)

    image = TensorLayout.of(x, (1, 2, 0), 4, parts=(3, 2))

    assert (image.dims, image.pitch, image.groups) == ((2, 3), 2, 12)
    assert (image.step(1), image.step(2)) == (6, 2)
    assert image.places()[:16].tolist() == [0, 6, 12, -1, 18, 24, -1, -1,
                                            1, 7, 13, -1, 19, 25, -1, -1]


@pytest.mark.parametrize(("memory", "bits", "base"), [
    (Memory.X, 16, 12), (Memory.X, 8, 24), (Memory.Y, 16, 12), (Memory.Y, 8, 24)])
def test_base_is_in_groups_of_its_memory(memory, bits, base):
    x = Tensor(np.zeros(5, np.int8 if bits == 8 else np.int16), 0)
    image = TensorLayout.flat(x, TINY.ways).at(3, memory)
    assert (image.base, image.access().high) == (base, base + 4)


def test_elements_of_32_bits_are_two_signed_halves():
    """The lower half counts from 2**15, so that both together are the element."""
    data  = np.array([[-1 << 31, -1, 0], [1, 40000, (1 << 31) - 1]], np.int32)
    image = TensorLayout.flat(QuantTensor(data, Element.SA_32, Affine(0, 1, 0)), 2).at(3)

    cells = image.cells(data)

    upper, lower = (half.data(part).astype(np.int64) for half, part in zip(
        image.words32, np.split(cells, 2), strict=True))
    assert [half.row for half in image.words32] == [3, 4]
    assert (cells.size, image.rows) == (2 * image.row_cells, 2)
    assert np.array_equal((upper << 16) + lower + (1 << 15), data)
    assert np.array_equal(image.data(cells), data)
    assert image.data(cells).dtype == np.int32


@pytest.mark.parametrize("shape", [(1,), (5,), (3, 6), (2, 3, 4)])
def test_elements_of_32_bits_are_read_back(shape):
    data = random_of(len(shape)).integers(-1 << 31, 1 << 31, shape).astype(np.int32)
    data.flat[0] = -1 << 31
    tensor = QuantTensor(data, Element.SA_32, Affine(0, 1, 0))
    image  = TensorLayout.of(tensor, range(len(shape)), 4).at(2)

    cells = image.cells(data)

    assert cells.size == image.rows * image.row_cells
    assert np.array_equal(image.data(cells), data)


def test_one_window_reaches_both_halves():
    image = TensorLayout((3, 5), 32, 2, (0, 1), 1, (5,)).at(3)
    upper, lower = image.words32

    access = image.access()

    assert (access.base, access.low, access.high) == (
        upper.base, upper.base, lower.access().high)
    assert image.base + image.apart == lower.base
    assert (upper.apart, lower.apart) == (0, 0)
