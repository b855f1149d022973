# SPDX-License-Identifier: Apache-2.0
"""Places of the largest elements of MLI 2.0 as passes against the golden kernel."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.support.lowered import assert_equals_golden, assert_plan
from tests.support.seed import examples, random_of
from tests.support.sizes import each_size
from xymac.golden.mli2 import Affine, ArgMax, ConvertTensor, Element, Fixed, QuantTensor
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.errors import accept
from xymac.host.lower.registry import find_lowering
from xymac.host.memory.layout import TensorLayout

FORMATS = {Element.FX_16: Fixed(7), Element.SA_8: Affine(5, 20000, 14)}


def tensor(data, element=Element.FX_16):
    return QuantTensor(np.array(data, element.dtype), element, FORMATS[element])


@st.composite
def calls(draw):
    """A layer and its input, which mostly has many equal elements, both ends among them."""
    element = draw(st.sampled_from(list(FORMATS)))
    shape   = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    axis    = draw(st.integers(-1, len(shape) - 1))
    slices  = 1 if axis < 0 else shape[axis]
    topk    = draw(st.integers(1, min(6, np.prod(shape) // slices)))
    rng     = random_of(draw(st.integers(0, 999)))
    limits  = np.iinfo(element.dtype)
    some    = [limits.max, limits.max - 1, 0, -1, limits.min + 1, limits.min]
    data    = rng.choice(some[:draw(st.integers(1, len(some)))], shape)
    if draw(st.integers(0, 3)) == 0:
        data = rng.integers(limits.min, limits.max, shape, endpoint=True)
    return ArgMax(topk, axis), tensor(data, element)


@settings(max_examples=examples(60), **SETTINGS)
@given(st.sampled_from([SMALL, BASE]), calls())
def test_equals_golden(config, call):
    assert_equals_golden(config, *call)


@pytest.mark.parametrize("topk", range(1, 9))
def test_every_order_of_equal_elements(topk):
    """Slices of 9 elements of 3 values, of which the largest is the end of the container."""
    x = random_of(topk).choice([32767, 32766, -32768], (9, 40))
    x[:, :2], x[:2, :2] = -32768, [[32766, 32767], [32767, 32766]]  # two orders, with any seed
    run = assert_equals_golden(BASE, ArgMax(topk, 1), tensor(x))
    assert len({tuple(np.argsort(row)) for row in run.output.data}) > 1 or topk == 1


@each_size
@pytest.mark.parametrize("slices", [1, 3, 4, 5, 8, 17, 33])
def test_slices_of_any_number(config, slices):
    x = random_of(slices).integers(-2, 3, (2, slices, 3))
    assert_equals_golden(config, ArgMax(2, 1), tensor(x, Element.SA_8))


def test_equal_elements_are_not_in_the_order_of_their_places():
    x = tensor([4, 4, 4, 4])
    for topk in (1, 2, 3):
        places = assert_equals_golden(TINY, ArgMax(topk), x).output.data.ravel().tolist()
        assert places != list(range(topk))


def test_places_up_to_15_bits():
    data = np.zeros((1024, 32), np.int16)
    data[1000:, ::3] = 5
    for shape, axis in (((1024, 32), 0), ((32, 1024), 1)):
        x = tensor(data.reshape(shape), Element.SA_8)
        run = assert_equals_golden(BASE, ArgMax(1, axis), x)
        assert run.output.data.max() > 32000


def test_places_go_on_to_a_conversion():
    x      = tensor([[3, 9, 9, 1], [5, 5, 2, 8]])
    layers = [ArgMax(2, 0), ConvertTensor(Element.SA_8, Affine(3, 1, 0))]

    assert_plan(SMALL, layers, x, keep=True)


@pytest.mark.parametrize(("config", "topk", "count"), [
    pytest.param(BASE, 50, 55, id="base"),
    pytest.param(TINY, 70, 72, id="tiny", marks=pytest.mark.long)])
def test_long_heaps(config, topk, count):
    """Of all levels at once; on tiny its loops are longer than the program memory."""
    x = tensor(random_of(topk).integers(-9, 9, count))
    assert_equals_golden(config, ArgMax(topk), x)


def test_places_beyond_15_bits():
    data = random_of(3).integers(-128, 128, (200, 180))
    run  = assert_equals_golden(BASE, ArgMax(1, 0), tensor(data, Element.SA_8))
    assert run.output.data.max() > 34000


def test_other_images_are_refused():
    x = tensor(np.zeros((3, 4)))
    image = TensorLayout.of(x, (1, 0), 4)
    accept(find_lowering(ArgMax(1, 0), [x], 4).find_target([image]))
    others = TensorLayout.flat(x, 4), TensorLayout.of(x, (0, 1), 4), replace(image, parts=(1, 2))
    for other in others:
        with pytest.raises(ValueError, match=r"^The input must lie as .*, not as "):
            accept(find_lowering(ArgMax(1, 0), [x], 4).find_target([other]))
