# SPDX-License-Identifier: Apache-2.0
"""L2 normalisation of MLI 2.0 as passes against the golden kernel and the library."""


import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.lowered import assert_equals_golden, assert_plan, sizes
from tests.support.seed import SEED, examples, random_of
from tests.support.sizes import each_size
from xymac.golden.mli2 import Affine, Build, Element, Fixed, L2Normalize, QuantTensor
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.errors import Refusal
from xymac.host.plan.plan import Plan

SETTINGS = {"derandomize": SEED.is_default, "deadline": None, "database": None}

shapes = st.lists(st.integers(1, 7), min_size=1, max_size=4).map(tuple)
builds = st.sampled_from(list(Build))


@st.composite
def tensors(draw):
    """Noise of any magnitude: sums of squares of every length."""
    rng, shape = random_of(draw(st.integers(0, 999))), draw(shapes)
    element = draw(st.sampled_from([Element.FX_16, Element.SA_8]))
    peak = 1 << draw(st.integers(0, element.bits - 1))
    zero = draw(st.integers(-100, 100)) if element is Element.SA_8 else 0
    info = np.iinfo(element.dtype)
    data = np.clip(rng.integers(-peak, peak, shape) + zero, info.min, info.max)
    kind = Affine(zero, 1, 4) if element is Element.SA_8 else Fixed(draw(st.integers(-3, 15)))
    return QuantTensor(data.astype(element.dtype), element, kind)


@settings(max_examples=examples(80), **SETTINGS)
@given(sizes, builds, tensors(), st.integers(-1, 3))
def test_normalisation(config, build, x, axis):
    assert_equals_golden(config, L2Normalize(min(axis, len(x.shape) - 1), build), x)


def fixed(data):
    return QuantTensor(np.array(data, np.int16), Element.FX_16, Fixed(7))


def ties():
    """Pairs whose squares add up to halfway between two values that 16 bits hold."""
    squares = np.arange(1, 182, dtype=np.int64) ** 2
    sums    = squares[:, None] + squares
    for shift in (2, 4):
        low, high = 1 << shift + 13, 1 << shift + 15
        ties = np.argwhere((sums >= low) & (sums < high) & (sums % (1 << shift) == 1 << shift - 1))
        yield from ties[:: max(1, len(ties) // 12)] + 1


@pytest.mark.parametrize("build", Build)
def test_halves(build):
    pairs = np.array(list(ties()), np.int16)
    assert len(pairs) > 10
    assert_equals_golden(SMALL, L2Normalize(1, build), QuantTensor(pairs, Element.FX_16, Fixed(7)))


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("value", [0, 1, -1, 181, 182, 255, -32768, 32767])
def test_one_element(value, build):
    x = QuantTensor(np.array([value], np.int16), Element.FX_16, Fixed(15))
    assert_equals_golden(TINY, L2Normalize(build=build), x)


def test_powers_of_two():
    values = np.array([[1 << places, 0] for places in range(15)], np.int16)
    for offset in (-1, 0, 1):
        x = QuantTensor(values + np.array([offset, 0], np.int16), Element.FX_16, Fixed(15))
        assert_equals_golden(SMALL, L2Normalize(1, Build.CONVERGENT_FULL), x)


def test_long_vectors():
    rng = random_of(3)
    x   = QuantTensor(rng.integers(-128, 128, 1001, np.int8), Element.SA_8, Affine(-128, 1, 0))
    assert_equals_golden(SMALL, L2Normalize(), x)


@each_size
@pytest.mark.parametrize("peak", [0, 6, 11, 15])
def test_sums_beyond_an_accumulator(config, peak):
    """Of elements that could add up to more than it holds, and do where all are the lowest; around
    the sums of 33 bits on both sides."""
    rng = random_of(peak)
    x   = rng.integers(-1 << peak, 1 << peak, 515).astype(np.int16)
    for data in (x, np.full(515, -1 << peak), np.eye(1, 515, 514)[0] * (1 << peak) - 1):
        assert_equals_golden(config, L2Normalize(build=Build.UP_FULL), fixed(data))


def squares_to(total, count=600):
    """Elements whose squares add up to ``total``."""
    data = np.zeros(count, np.int64)
    for index in range(count):
        data[index] = min(int(total**0.5), 32767) * (-1) ** index
        total -= int(data[index])**2
    assert total == 0
    return fixed(data)


@pytest.mark.parametrize("offset", range(-2, 3))
def test_sums_at_the_border(offset):
    """A sum of ``2**33`` and its neighbours: whether it is large changes what is shifted."""
    for build in (Build.UP_FULL, Build.CONVERGENT_FULL):
        assert_equals_golden(SMALL, L2Normalize(build=build), squares_to((1 << 33) + offset))


@pytest.mark.parametrize("bits", [17, 33, 34, 35, 38])
def test_halves_of_long_sums(bits):
    """Sums halfway between two values that 16 bits hold, the lower one even or odd, and their
    neighbours."""
    shift = (bits - 15) + (bits - 15) % 2
    low   = 1 << bits - shift - 1
    for value in range(low, low + 14):
        for offset in (0, 1) if value < low + 2 else (0,):
            x = squares_to((value << shift) + (1 << shift - 1) - offset)
            assert_equals_golden(SMALL, L2Normalize(build=Build.CONVERGENT_FULL), x)


def test_long_slices():
    x = random_of(4).integers(-32768, 32768, (2, 513, 2))
    assert_equals_golden(SMALL, L2Normalize(1), fixed(x))
    zero = QuantTensor(np.clip(x, -128, 127).astype(np.int8), Element.SA_8, Affine(-32640, 1, 0))
    assert_equals_golden(SMALL, L2Normalize(1), zero)


def test_refused_inputs():
    x = QuantTensor(np.zeros(6, np.int8), Element.SA_8, Affine(32700, 1, 0))
    with pytest.raises(Refusal, match=r"^Zero point of the input must be between -32640 and"):
        Plan(SMALL, [L2Normalize()], x)


def test_an_input_whose_runs_are_not_sums_is_moved():
    data = random_of(2).integers(-128, 128, (3, 2), np.int8)
    x    = QuantTensor(data, Element.SA_8, Affine(0, 1, 4))
    assert_plan(SMALL, [L2Normalize(1), L2Normalize(0)], x)


@each_size
@pytest.mark.parametrize("build", [Build.UP_FULL, Build.CONVERGENT_FULL])
def test_many_elements(config, build):
    """Around the counts from which on lanes add up elements of their own, with parts of tiles and
    of groups; extremes everywhere, of which lanes have powers of two."""
    for count, peak in zip((45, 47, 69, 72, 78, 79, 83, 97, 511), (15, 2, 8) * 3, strict=True):
        x = random_of(count).integers(-1 << peak, 1 << peak, count).astype(np.int16)
        assert_equals_golden(config, L2Normalize(build=build), fixed(x))
    for value, count in ((-32768, 500), (-32768, 128), (32767, 500), (0, 500)):
        assert_equals_golden(config, L2Normalize(build=build), fixed(np.full(count, value)))


def edges(bits, count):
    """Runs of elements, in any order, whose squares add up to about ``2**bits``: next to that, and
    next to halves of what 16 bits count, above an even and an odd value."""
    shift = (bits + 1) // 2 * 2 - 14
    sums  = [1 << bits]
    if shift > 0:
        low   = 1 << bits - shift
        sums += [(value << shift) + (1 << shift - 1) for value in (low, low + 1)]
    return [random_of(bits).permutation(squares_to(total + offset, count).data)
            for total in sums for offset in (-1, 0, 1)]


@pytest.mark.parametrize("build", [Build.UP_FULL, Build.CONVERGENT_FULL])
@pytest.mark.parametrize(("config", "count", "all_bits"), [
    pytest.param(TINY, 60, range(1, 35), marks=pytest.mark.long), (SMALL, 20, range(1, 34)),
    pytest.param(BASE, 100, range(1, 36), marks=pytest.mark.long), (BASE, 500, range(36, 39))])
def test_edges_of_all_shifts(config, count, all_bits, build):
    """Of sums in lanes, and of few elements those in all of them."""
    x = np.array([run for bits in all_bits for run in edges(bits, count)])
    assert_equals_golden(config, L2Normalize(1, build), fixed(x))


@pytest.mark.parametrize("zero", [-128, 3, 32640])
def test_slices_of_many_elements(zero):
    """Whose last tiles lie partly in those behind them, less a zero point."""
    x = QuantTensor(random_of(5).integers(-128, 128, (3, 101, 2), np.int8), Element.SA_8,
                    Affine(zero, 1, 0))
    for build in (Build.UP_FULL, Build.CONVERGENT_FULL):
        assert_equals_golden(BASE, L2Normalize(1, build), x)
