# SPDX-License-Identifier: Apache-2.0
"""Elements in memory: strides, bounds, and elements of 4 bits."""

import numpy as np
import pytest

from tests.support.calls.mli2 import sa
from tests.support.seed import random_of
from xymac.golden.api.mli2.memory import (
    available,
    elements,
    read,
    size_of,
    span,
    strides_of,
    to_tensor,
    used,
    write,
)
from xymac.golden.api.mli2.types import mli_data_container, mli_element_type, mli_mem, mli_tensor
from xymac.golden.mli2 import Element

FX_4, FX_16 = mli_element_type.MLI_EL_FX_4, mli_element_type.MLI_EL_FX_16


@pytest.mark.parametrize(("shape", "given", "strides"), [
    ((2, 3, 4), (0, 0, 0, 0), (12, 4, 1)), ((2, 3, 4), (40, 8, 2), (40, 8, 2)),
    ((2, 3, 4), (0, 8, 0, 0), (24, 8, 1)), ((5,), (3,), (3,)), ((), (0,) * 4, ()),
    ((1, 1), (0, 7), (7, 7))])
def test_strides_of_0_are_computed(shape, given, strides):
    assert strides_of(shape, given) == strides


@pytest.mark.parametrize("seed", range(20))
def test_elements_are_where_their_strides_say(seed):
    rng     = random_of(seed)
    shape   = tuple(rng.integers(1, 5, rng.integers(1, 5)).tolist())
    strides, inner = [], 1
    for size in reversed(shape):
        strides.insert(0, inner + int(rng.integers(0, 3)))
        inner = strides[0] * size
    memory = rng.integers(-99, 99, span(shape, strides) + 3).astype(np.int16)
    tensor = mli_tensor(mli_data_container(mem=memory), shape, tuple(strides), el_type=FX_16)
    before = memory.copy()

    values = read(tensor)
    places = {index: sum(i * step for i, step in zip(index, strides, strict=True))
              for index in np.ndindex(shape)}
    assert all(values[index] == memory[place] for index, place in places.items())
    assert elements(tensor) == len(set(places.values()))

    write(tensor, np.full(shape, 1000, np.int16))
    assert all(memory[place] == 1000 for place in places.values())
    rest = sorted(set(range(memory.size)) - set(places.values()))
    assert memory[rest].tolist() == before[rest].tolist()


def test_an_element_of_4_bits_has_a_byte():
    memory = np.full(14, 0x5a, np.uint8)
    tensor = mli_tensor(mli_data_container(mem=memory), (2, 3), (9, 2), el_type=FX_4)

    write(tensor, np.array([[1, 2, 3], [4, 5, -6]], np.int8))

    assert size_of(5, FX_4) == 5
    assert read(tensor).tolist() == [[1, 2, 3], [4, 5, -6]]
    expected = np.full(14, 0x5a, np.uint8)
    expected[[0, 2, 4, 9, 11, 13]] = [1, 2, 3, 4, 5, 250]
    assert memory.tolist() == expected.tolist()
    assert used(tensor).size == 6


@pytest.mark.parametrize(("capacity", "stride", "message"), [
    (22, (4, 1), r"^Shape \(3, 4\) with strides \(4, 1\) must lie within 11 elements$"),
    (24, (5, 1), r"strides \(5, 1\) must lie within 12 elements$"),
    (99, (4, 1), None), (24, (4, 1), None)])
def test_nothing_beyond_the_capacity_is_touched(capacity, stride, message):
    data   = mli_data_container(capacity, mli_mem(pi16=np.zeros(12, np.int16)))
    tensor = mli_tensor(data, (3, 4), stride, el_type=FX_16)
    assert available(tensor) == min(capacity, 24)
    if message is None:
        assert read(tensor).shape == (3, 4)
        return
    with pytest.raises(ValueError, match=message):
        read(tensor)
    with pytest.raises(ValueError, match=message):
        write(tensor, np.zeros((3, 4), np.int16))
    with pytest.raises(ValueError, match=r"must lie within"):
        used(tensor)


@pytest.mark.parametrize("stride", [(-4, 1), (4, -1)])
def test_negative_strides_are_never_followed(stride):
    tensor = mli_tensor(np.zeros((3, 4), np.int16), mem_stride=stride)
    with pytest.raises(ValueError, match=r"must lie within 12 elements$"):
        read(tensor)


def test_a_value_is_no_memory():
    tensor = mli_tensor(3, shape=(1,), rank=1, el_type=FX_16)
    with pytest.raises(ValueError, match=r"^data must point to memory, not hold a value$"):
        read(tensor)


@pytest.mark.parametrize(("element", "value"), [
    ("FX_4", -8), ("FX_8", -3), ("FX_16", -300), ("SA_32", 1 << 30), ("FP_32", 0.5),
    ("FP_16", -0.25)])
def test_scalars_are_read(element, value):
    params = sa() if element == "SA_32" else None
    tensor = mli_tensor(value, el_type=mli_element_type[f"MLI_EL_{element}"],
                        **({"el_params": params} if params else {}))
    assert read(tensor) == value
    assert to_tensor(tensor, 2).shape == (1, 1)
    assert to_tensor(tensor).element is Element[element]
    assert elements(tensor) == 1
    assert used(tensor).size == 0
