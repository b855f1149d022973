# SPDX-License-Identifier: Apache-2.0
"""Dense kernels of MLI 2.0 recurrent cells as passes against the golden kernels and the library."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.mli2.far_cells import cancelling_dense, far_dense, with_shift
from tests.support.mli2.gate_layers import KINDS, random_dense
from xymac.golden.mli2 import Affine, Build, Element, Fixed, QuantTensor, RnnDense
from xymac.hdl.config import SIZES, SMALL
from xymac.host.errors import Refusal
from xymac.host.lower.recurrent.sums.affine import AffineSums
from xymac.host.plan.plan import Plan


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(20))
def test_dense(seed, kind):
    layer, *xs = random_dense(seed, kind, 1 + 5 * seed)
    assert_equals_golden(list(SIZES.values())[seed % 3], layer, *xs)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fine", [False, True])
def test_outputs_that_saturate(kind, fine):
    """Sums of both inputs far beyond 16 bits that may cancel, or all but nothing."""
    layer, *xs = random_dense(np.random.default_rng(5), kind, 30)  # larger sums are refused
    out = Fixed(20 if fine else 2) if kind != "sa8" else Affine(3, 20000, 25 if fine else 15)
    assert_equals_golden(SMALL, replace(layer, out=out), *xs)


@pytest.mark.parametrize(("kind", "seed"), [
    *(("fx16", seed) for seed in (8, 23, 62, 164, 190, 220, 225, 228)),
    *(("fx16_fx8_fx8", seed) for seed in (12, 85, 107, 111, 117, 191, 288, 381))])
def test_sums_of_a_second_input_that_are_far_larger(kind, seed):
    """Those of the first one, with the bias, become elements in their place."""
    layer, *xs = far_dense(seed, kind, 5)
    for quiet in (0, 8, 15):
        assert_equals_golden(SMALL, layer, xs[0], replace(xs[1], data=xs[1].data >> quiet))


@pytest.mark.parametrize("zero", [-128, 7])
def test_zero_points_of_weights(zero):
    layer, *xs = random_dense(1, "sa8", 9, zero=zero)
    assert_equals_golden(SMALL, layer, *xs)


@pytest.mark.parametrize("seed", range(9))
def test_formats_at_the_ends_of_their_ranges(seed):
    layer, *xs = far_dense(seed, "sa8", 1 + 4 * seed, 1 + seed // 3, 32767)
    assert_equals_golden(list(SIZES.values())[seed % 3], layer, *xs)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.long)
                                                for seed in range(12, 200))])
def test_scaled_sums_of_32_bits_that_cancel(seed, build):
    layer, *xs = cancelling_dense(seed, build)
    assert_equals_golden(list(SIZES.values())[seed % 3], layer, *xs)


@pytest.mark.parametrize("shift", [
    shift if (shift + 1) % 16 < 3 else pytest.param(shift, marks=pytest.mark.long)
    for shift in range(-18, 64)])
@pytest.mark.parametrize("build", [Build.UP_FULL, Build.CONVERGENT_FULL])
def test_every_shift_of_sums_with_all_their_bits(shift, build, monkeypatch):
    """Scaled sums of a few bits are wide as well if they have to be."""
    monkeypatch.setattr(AffineSums, "takes", lambda *arguments: False)
    for seed in range(3):
        layer, *xs = cancelling_dense(100 * shift + seed + 2000, build)
        layer, *xs = replace(layer, weights=layer.weights[:2]), *xs[:2]
        assert_equals_golden(SMALL, with_shift(layer, xs[0], shift), *xs)


@pytest.mark.parametrize("shift", [29, 31, 32, 33, 45])
def test_halves_of_sums_with_all_their_bits(shift, monkeypatch):
    """Scales that are powers of two leave nothing below a half, however far it is shifted."""
    monkeypatch.setattr(AffineSums, "takes", lambda *arguments: False)
    for seed in range(6):
        layer, *xs = cancelling_dense(seed, Build.CONVERGENT_FULL)
        unit  = replace(layer.weights[0].format, scale=1 << 14)
        layer = replace(layer, weights=tuple(replace(each, format=unit) for each in layer.weights),
                        out=replace(layer.out, scale=1 << 14))
        xs    = [replace(x, format=replace(x.format, scale=1 << 14)) for x in xs]
        assert_equals_golden(SMALL, with_shift(layer, xs[0], shift), *xs)


def test_scaled_sums_that_saturate_at_32_bits_and_cancel():
    x = QuantTensor(np.array([1], np.int8), Element.SA_8, Affine(0, 1, 0))
    weights = tuple(QuantTensor(np.array([row], np.int8), Element.SA_8, Affine(0, 1, 0))
                    for row in ([1, -1, 5, 0], [-1, 1, -1, 1]))
    bias  = QuantTensor(np.zeros(4, np.int32), Element.SA_32, Affine(0, 1, 0))
    layer = RnnDense(weights, bias, Affine(0, 1, 60))

    run = assert_equals_golden(SMALL, layer, x, x)

    assert run.output.data.tolist() == [-1, -1, -1, 127]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("zero", [32767, -32768])
def test_zero_points_that_a_bias_takes_off(zero, wide, monkeypatch):
    if wide:
        monkeypatch.setattr(AffineSums, "takes", lambda *arguments: False)
    layer, x = random_dense(6, "sa8", 20, 1)
    [weights] = layer.weights
    x     = replace(x, format=replace(x.format, zero_point=zero))
    bias  = replace(layer.bias, data=(zero * weights.centred.sum(0)).astype(np.int32))
    layer = replace(layer, bias=bias, build=Build.UP_FULL)
    seen = set()
    for places in range(12, 20):
        run   = assert_equals_golden(SMALL, replace(layer, out=Affine(0, 20000, places)), x)
        seen |= {*run.output.data.tolist()}
    assert len(seen) > 1


@pytest.mark.parametrize("small", [False, True])
def test_biases_that_saturate(small):
    """Sums of products within 32 bits, and beyond them with the bias, but for a ``small`` one."""
    layer, *xs = random_dense(3, "sa8", 20)
    most = 1 << 30 if small else (1 << 31) - 1
    bias = replace(layer.bias, data=np.resize([-most - 1, most], 20).astype(np.int32))
    run  = assert_equals_golden(SMALL, replace(layer, bias=bias, out=Affine(0, 1, 30)), *xs)

    assert run.overflow is not small


@pytest.mark.parametrize("count", [1, 2, 3])
def test_sums_that_wrap(count):
    layer, *xs = random_dense(3, "sa8", 20, count)
    weights = tuple(replace(each, data=np.full_like(each.data, 127), format=replace(
        each.format, zero_point=-32000)) for each in layer.weights)
    xs   = [replace(x, format=replace(x.format, zero_point=-32768)) for x in xs]
    bias = replace(layer.bias, data=np.linspace(-1 << 31, (1 << 31) - 1, 20).astype(np.int32))
    run  = assert_equals_golden(SMALL, replace(layer, weights=weights, bias=bias), *xs)

    assert run.overflow


def test_refused_weights():
    layer, *xs = random_dense(1, "sa8", 9, zero=32767)
    with pytest.raises(Refusal, match=r"^Weights less their zero point must have 16 bits, "):
        Plan(SMALL, [layer], *xs)
