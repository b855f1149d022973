# SPDX-License-Identifier: Apache-2.0
"""Convolutions and matrices of MLI 2.0 as passes against the golden kernels and the library."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from xymac.golden import mli2
from xymac.golden.mli2 import Affine, Build, Element, QuantTensor, Relu
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.errors import Refusal
from xymac.host.lower.linear import passes
from xymac.host.lower.registry import find_lowering
from xymac.host.plan.plan import Plan
from xymac.host.vectors.check import check_cases, open_evaluator
from xymac.host.vectors.files import read_cases, select_cases

VECTORS = Path(__file__).parents[3] / "vectors" / "mli2"


def sa8(rng, shape, kind):
    return QuantTensor(rng.integers(-128, 127, shape, np.int8, endpoint=True), Element.SA_8, kind)


def layer_of(kind, seed, *, zero=0, per_axis=True, outputs=5, channels=6, kernel=(3, 2), **options):
    """A layer whose outputs fill their range, and its input of 7 rows and 6 columns."""
    rng  = random_of(seed)
    held = {mli2.DepthwiseConv2d: 1, mli2.GroupConv2d: channels // 2}.get(kind, channels)
    outputs = {mli2.DepthwiseConv2d: channels, mli2.GroupConv2d: 4}.get(kind, outputs)
    formats = Affine(zero, 20000, 18)
    if per_axis:
        scales  = tuple(rng.integers(10000, 32767, outputs).tolist())
        formats = Affine((zero,) * outputs, scales, (18,) * outputs, 3)
    bias = QuantTensor(rng.integers(-1 << 15, 1 << 15, outputs, np.int32), Element.SA_32,
                       Affine(0, 1, 0))
    layer = kind(sa8(rng, (*kernel, held, outputs), formats), bias, Affine(-9, 1 << 14, 9),
                 **options)
    return layer, sa8(rng, (7, 6, channels), Affine(37, 1 << 14, 14))


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize(("kind", "options"), [
    (mli2.Conv2d, {"pad": (2, 1, 1, 0), "zero": 3}),
    (mli2.Conv2d, {"pad": (3, 2, 1, 2), "dilation": (2, 3), "stride": (1, 2), "per_axis": False}),
    (mli2.Conv2d, {"kernel": (1, 1), "outputs": 19, "relu": Relu.GEN}),
    (mli2.GroupConv2d, {"stride": (2, 1), "relu": Relu.RELU6}),
    (mli2.DepthwiseConv2d, {"pad": (2, 2, 1, 1), "dilation": (2, 1), "zero": -128}),
    (mli2.TransposeConv2d, {"stride": (2, 3), "pad": (1, 0, 0, 1)})])
def test_layers_equal_golden(build, kind, options):
    for seed, config in enumerate((BASE, SMALL, TINY)):
        layer, x = layer_of(kind, seed, build=build, **options)
        assert_equals_golden(config, layer, x)


@pytest.mark.parametrize("function", ["conv2d_hwcn_sa8*", "transpose_conv2d_hwcn_fx16",
                                      "fully_connected_sa8*", "fully_connected_fx16_fx8_fx8"])
def test_machine_equals_the_library(function):
    cases = select_cases(read_cases(VECTORS), match=f"mli_krn_{function}")[:4]

    with open_evaluator("machine", BASE) as evaluate:
        report = check_cases(cases, evaluate)

    assert report.summary == "12 passed, 0 failed, 0 skipped"


def test_dilation_at_the_border_takes_a_pass_for_each_distance(monkeypatch):
    """Pixel by pixel; strips have no border."""
    monkeypatch.setattr(passes, "written_forms", lambda *_: [])
    layer, x = layer_of(mli2.Conv2d, 0, dilation=(2, 1), pad=(2, 2, 0, 0))
    program  = Plan(BASE, [layer], x).program

    rows = [(pass_.loop.outer[1], pass_.loop.rows.pad, pass_.loop.rows.size) for pass_ in program]
    assert [*dict.fromkeys(rows)] == [(4, 1, 4), (3, 1, 3)]


@pytest.mark.parametrize("zero", [-32768, 32767])
def test_zero_points_at_the_ends_of_16_bits(zero):
    layer, x = layer_of(mli2.Conv2d, 0, build=Build.UP_FULL)
    assert_equals_golden(TINY, replace(layer, out=Affine(zero, 1 << 14, 9)), x)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("places", [40, 60, 100, 127])
def test_scales_that_shift_to_the_left(build, places):
    """Whatever is not 0 saturates, of either sign."""
    layer, x = layer_of(mli2.Conv2d, 0, build=build)
    layer    = replace(layer, out=Affine(0, 1, places),
                       bias=replace(layer.bias, data=layer.bias.data // (1 << 14)))
    x        = replace(x, data=(x.data // 100 + x.format.zero_point).astype(np.int8))
    assert_equals_golden(BASE, layer, x)


@pytest.mark.parametrize(("zero", "weight_zero", "message"), [
    (5, -32768, r"must have 16 bits, not \d+ to \d+$"),
    (32700, -32600, r"between -32640 and 32640, not 32700$")])
def test_refused_zero_points_of_sums_of_more_than_40_bits(zero, weight_zero, message):
    inputs = 130000 if zero == 5 else 600
    layer  = mli2.FullyConnected(
        QuantTensor(np.zeros((inputs, 1), np.int8), Element.SA_8, Affine(weight_zero, 20000, 18)),
        QuantTensor(np.zeros(1, np.int32), Element.SA_32, Affine(0, 1, 0)), Affine(0, 1 << 14, 9))
    x = QuantTensor(np.zeros(inputs, np.int8), Element.SA_8, Affine(zero, 1 << 14, 14))
    with pytest.raises(Refusal, match=message):
        find_lowering(layer, (x,), BASE.ways)
