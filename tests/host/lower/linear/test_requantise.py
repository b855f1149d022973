# SPDX-License-Identifier: Apache-2.0
"""Sums of TensorFlow Lite that wrap, or are beyond 32 bits, and their flags."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac.golden.tflm import Conv2d, DepthwiseConv2d, Quantisation, TransposeConv
from xymac.hdl.config import BASE
from xymac.host.errors import Refusal
from xymac.host.frontend.tflm.linear_sums import Sums
from xymac.host.frontend.tflm.requantise import requantise
from xymac.host.plan.plan import Plan

from .test_tflm import bias_of, matrix, scaled, tensor


@each_size
@pytest.mark.parametrize("kind", [Conv2d, DepthwiseConv2d, TransposeConv])
def test_sums_that_wrap(config, kind):
    """Biases next to the ends of 32 bits; the flag is golden's whether a sum leaves them or not."""
    rng     = random_of(5)
    layer   = scaled(rng, kind, {DepthwiseConv2d: (1, 2, 2, 4)}.get(kind, (4, 2, 2, 4)),
                     (2.0**-7, 2.0**-8, 2.0**-20, 2.0**-27), **(
                         {"sizes": (4, 3)} if kind is TransposeConv else {}))
    x       = tensor(rng, (1, 3, 2, 4), zero=5)
    flagged = set()
    for top in ((1 << 31) - 1, (1 << 31) - (1 << 17)):
        for far in (layer, replace(layer, weights=replace(
                layer.weights, data=layer.weights.data // 64))):
            run = assert_equals_golden(config, replace(far, bias=bias_of(top, -top, top, -top)), x)
            flagged.add(run.overflow)

    assert flagged == {False, True}


@each_size
def test_what_a_factor_shifts_out_sets_no_flag(config):
    """Sums of 30 bits that a factor above 1 takes beyond 32."""
    rng   = random_of(14)
    layer = matrix(rng, 4, 3, bias=bias_of(*[(1 << 28) - 1, -1 << 28] * 2), scale=2.0**-7,
                   out=Quantisation((2.0**-13,), (0,)))
    layer = replace(layer, weights=replace(layer.weights, data=layer.weights.data // 8))

    run = assert_equals_golden(config, layer, tensor(rng, (5, 3)))

    assert not run.overflow
    with pytest.raises(Refusal, match="shifts beyond 32 bits must stay within 32767"):
        Plan(config, [replace(layer, bias=None, out=Quantisation((2.0**-30,), (0,)))],
             tensor(rng, (5, 3)))


@each_size
def test_sums_that_all_wrap_alike(config):
    """Biases far beyond what a factor of 64 or more leaves: another bias does the same."""
    rng   = random_of(16)
    layer = matrix(rng, 4, 3, bias=bias_of(1 << 30, -1 << 30, (1 << 26) * 5, 7),
                   out=Quantisation((2.0**-17,), (0,)))
    x     = tensor(rng, (9, 3))

    run = assert_equals_golden(config, replace(layer, weights=replace(
        layer.weights, data=layer.weights.data // 64)), x)

    assert (run.output.data.min(0) < run.output.data.max(0)).all()


@each_size
def test_long_sums_that_all_wrap_alike(config):
    """Scaled sums of 34 bits wrap to what is beyond the limits of the output, for every input."""
    rng   = random_of(17)
    layer = scaled(rng, Conv2d, (3, 1, 1, 3), (2.0**-4,), Quantisation((2.0**-14,), (0,)))
    bias  = bias_of(*(np.array([1, -1, 5]) << 24), dtype=np.int64)

    run = assert_equals_golden(config, replace(layer, bias=bias, weights=replace(
        layer.weights, data=layer.weights.data // 64)), tensor(rng, (1, 2, 2, 3), np.int16))

    assert (np.abs(run.output.data.astype(int)) > 32766).all()


def test_dead_channels_wrap_as_they_are():
    """A shift to the left takes the bias out of 32 bits, and there are no weights."""
    rng   = random_of(6)
    layer = matrix(rng, 2, 3, bias=bias_of(0x7ABCDEF1, -77), scale=16.0,
                   out=Quantisation((0.125,), (0,)))
    alive = np.array([[0], [1]], np.int8)
    layer = replace(layer, weights=replace(layer.weights, data=layer.weights.data * alive),
                    bias=replace(layer.bias, quantisation=Quantisation((1.0,), (0,))))

    assert_equals_golden(BASE, layer, tensor(rng, (1, 3), scale=2.0**-4))


@each_size
def test_sums_of_64_bits(config):
    """Factors of 15 bits; sums beyond 32 where the output is limited all the same."""
    rng  = random_of(7)
    out  = Quantisation((2.0**-11,), (0,))
    wide = 1 << 36
    for bias in (None, bias_of(0, 1 << 20, -1 << 20, dtype=np.int64),
                 bias_of(wide, -wide, 1 << 30, dtype=np.int64)):
        layer = scaled(rng, Conv2d, (3, 2, 2, 3), (2.0**-9, 2.0**-12, 2.0**-7), out)
        x     = tensor(rng, (2, 3, 4, 3), np.int16, 2.0**-11)
        assert_equals_golden(config, replace(layer, bias=bias), x)


def test_sums_of_64_bits_that_show_are_refused():
    rng   = random_of(8)
    layer = scaled(rng, Conv2d, (1, 1, 1, 3), (2.0**-25,), Quantisation((2.0**-14,), (0,)))
    layer = replace(layer, bias=bias_of(1 << 33, dtype=np.int64))

    with pytest.raises(Refusal, match="Sums of 64 bits must stay within 32 where the output"):
        Plan(BASE, [layer], tensor(rng, (1, 2, 2, 3), np.int16, 2.0**-11))


@each_size
def test_short_sums_of_16_bits(config):
    """A bias of 32 bits, or none and the option, has factors of 31 bits."""
    rng   = random_of(9)
    x     = tensor(rng, (3, 20), np.int16, 2.0**-11)
    layer = matrix(rng, 6, 20, out=Quantisation((2.0**-9,), (0,)), short_sums=True)
    bias  = bias_of(*rng.integers(-1 << 30, 1 << 30, 6), scale=2.0**-18)

    assert_equals_golden(config, layer, x)
    assert_equals_golden(config, replace(layer, bias=bias), x)


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_outputs_that_take_a_factor_alone_are_those_of_each_by_itself(dtype, monkeypatch):
    """All outputs at once give what every output by itself does, refusals included."""
    rng = random_of(18)
    x   = tensor(rng, (1, 1, 1, 6), dtype, zero=5 if dtype is np.int8 else 0)
    most = 24 if dtype is np.int8 else 8  # a layer takes no larger factor

    def outcomes():
        for _, layer in zip(range(200), layers(), strict=False):
            try:
                made = requantise(layer, x, layer.weights.data)
            except Refusal as error:
                yield str(error)
            else:
                yield made.weights.tolist(), [part.tolist() for part in made.records], made.output

    def layers():
        drawn = random_of(19)
        while True:
            bits   = int(drawn.integers(4, 32 if dtype is np.int8 else 56))
            powers = drawn.uniform(*drawn.choice([(-34, -30), (-20, 1), (1, most)]), 5)
            scales = tuple((2.0**powers).astype(np.float32).tolist())
            layer  = scaled(drawn, Conv2d, (5, 1, 1, 6), scales)
            yield replace(layer, bias=bias_of(
                *drawn.integers(-1 << bits - 1, 1 << bits - 1, 5),
                dtype=np.int32 if dtype is np.int8 else np.int64))

    together = list(outcomes())
    for name in ("are_plain_short", "are_plain_long"):
        monkeypatch.setattr(Sums, name, lambda self, *_: np.zeros(len(self.mul), bool))

    assert together == list(outcomes())
    assert {type(each) for each in together} == {str, tuple}
