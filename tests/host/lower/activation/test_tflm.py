# SPDX-License-Identifier: Apache-2.0
"""Rectifiers of TensorFlow Lite as passes against the golden kernels."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from tests.support.sizes import each_core, each_size
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.wild import ALL, wild_of
from xymac import golden
from xymac.golden.tflm import (
    Abs,
    Exp,
    Gelu,
    LeakyRelu,
    Log,
    Prelu,
    Quantisation,
    Relu,
    Relu0To1,
    Relu6,
    ReluN1To1,
    Sqrt,
    Tensor,
)
from xymac.hdl.config import BASE, CORES, TINY
from xymac.host.errors import InputError, Refusal
from xymac.host.frontend.tflm import table
from xymac.host.plan.plan import Plan

NAMES = ["RELU", "RELU6", "LEAKY_RELU", "PRELU"]
EVERY = {8: np.arange(-128, 128).astype(np.int8), 16: np.arange(-32768, 32768).astype(np.int16)}


def quantisation(scale, zero=0):
    return Quantisation((float(np.float32(scale)),), (zero,))


def random_kinds(rng, bits, zeros=(-128, 127, 0, 5, -77)):
    """Quantisations of an input and an output, now and then the same scale or twice that."""
    scale = 2.0 ** rng.uniform(-8, 0)
    out   = scale * rng.choice([1, 2, 0.5, 2.0 ** rng.uniform(-4, 4)])
    return [quantisation(each, int(rng.choice(zeros)) if bits == 8 else 0)
            for each in (scale, out)]


@each_size
@pytest.mark.parametrize("name", NAMES)
def test_models_equal_golden(name, config):
    for key in range(12):
        model = ALL[name](random_of((key, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))


@pytest.mark.long
@each_core
@pytest.mark.parametrize("name", NAMES)
def test_many_models_equal_golden(name, config):
    for key in range(200):
        model = ALL[name](random_of((key, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("key", range(8))
def test_every_element(bits, key):
    """Of rectifiers, with slopes of both signs, beyond 1 and next to 0."""
    rng   = random_of((key, bits))
    x, y  = random_kinds(rng, bits)
    slope = [0.01, 0.3, -0.2, 1.7, -3.0, 1.0, 0.0, 1e-12][key]
    for layer in (Relu(y), Relu6(y), LeakyRelu(y, slope), Abs(y)):
        assert_equals_golden(BASE, layer, Tensor(EVERY[bits], x))


@pytest.mark.parametrize("slope", [0.3, -0.3])
def test_slopes_on_a_core_without_tables(slope):
    layer = LeakyRelu(quantisation(0.1, 5), slope)
    assert_equals_golden(CORES["compact"], layer, Tensor(EVERY[8], quantisation(0.1, -9)))


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("key", range(6))
def test_every_element_by_every_slope_of_a_channel(bits, key):
    """Slopes of 8 bits, with a zero point as well."""
    rng   = random_of((key, bits, 1))
    x, y  = random_kinds(rng, bits)
    alpha = rng.choice(EVERY[8], 6)
    slope = quantisation(2.0 ** rng.choice([-7, -3, -20, rng.uniform(-9, -6)]),
                         int(rng.choice([0, -128, 7])))
    layer = Prelu(y, Tensor(alpha, slope))
    data  = np.repeat(EVERY[bits][::1 if bits == 8 else 37, None], 6, axis=1)
    assert_equals_golden(TINY, layer, Tensor(data, x))


@pytest.mark.parametrize("shape", [(), (1,), (5,), (1, 1, 5), (3, 1, 1), (1, 4, 1), (2, 1, 1, 1),
                                   (3, 4, 5), (3, 4, 1), (3, 1, 5), (2, 1, 4, 1), (2, 3, 4, 5)])
@each_size
def test_slopes_along_any_dimension(config, shape):
    rng   = random_of(len(shape))
    alpha = np.asarray(rng.integers(-128, 128, shape), np.int8)
    slope = Tensor(alpha, quantisation(0.01, 9))
    for dtype, zeros in (np.int8, (3, -4)), (np.int16, (0, 0)):
        limits = np.iinfo(dtype)
        x = Tensor(rng.integers(limits.min, limits.max, (2, 3, 4, 5), dtype, endpoint=True),
                   quantisation(0.1, zeros[0]))
        assert_equals_golden(config, Prelu(quantisation(0.08, zeros[1]), slope), x)


@pytest.mark.parametrize("shape", [(30, 20, 9), (30, 1, 9), (9,)])
def test_slopes_of_parts(shape):
    """Of an image that memory does not hold at once."""
    rng   = random_of(len(shape))
    alpha = Tensor(rng.integers(-128, 128, shape).astype(np.int8), quantisation(0.01))
    x     = Tensor(rng.integers(-32768, 32768, (1, 30, 20, 9)).astype(np.int16), quantisation(0.1))
    assert_equals_golden(TINY, Prelu(quantisation(0.08), alpha), x)


def test_zero_points_of_words_far_away():
    x = quantisation(0.1, -32768)
    for slope in (0.3, -0.3):
        assert_equals_golden(TINY, LeakyRelu(quantisation(0.3, 32767), slope),
                             Tensor(EVERY[16][::5], x))


def test_passes():
    x     = Tensor(np.zeros((4, 64), np.int8), quantisation(0.1, 3))
    words = Tensor(np.zeros((4, 64), np.int16), quantisation(0.1))
    out   = quantisation(0.2)
    plans = [Plan(BASE, [layer], x) for layer in (Relu(out), Relu6(out), LeakyRelu(out, 0.3))]

    assert [len(plan.program) for plan in plans] == [1, 1, 1]
    assert [len(Plan(BASE, [Abs(out)], each).program) for each in (x, words)] == [1, 1]
    assert len(Plan(BASE, [LeakyRelu(out, 0.3)], words).program) == 3


def test_factors_that_wrap_are_refused():
    layer = Relu(quantisation(2.0**-20))
    with pytest.raises(Refusal, match=r"^A factor must keep 32768 within 32 bits, not one of "
                                            r"about 2\*\*18$"):
        Plan(TINY, [layer], Tensor(np.zeros(4, np.int16), quantisation(0.125)))


def test_elements_of_17_bits_are_refused():
    alpha = Tensor(np.ones((2, 3), np.int8), quantisation(0.1))
    with pytest.raises(Refusal, match=r"^Elements less their zero point must have 16 bits, "
                                            r"not be -32769$"):
        Plan(TINY, [Prelu(quantisation(1.0), alpha)],
             Tensor(np.zeros((2, 3), np.int16), quantisation(0.125, 1)))


@pytest.mark.parametrize("name", NAMES)
def test_scales_that_no_converter_would_write(name):
    for key in range(20):
        model = wild_of(name, key)
        with suppress(InputError):
            assert_model(TINY, model, *random_inputs(model, key))


def test_bytes_whose_factor_wraps_are_looked_up():
    x = Tensor(EVERY[8], quantisation(1.0, 3))
    for layer in (Relu(quantisation(2.0**-26, 5)), LeakyRelu(quantisation(2.0**-25), 0.7),
                  replace(Relu(quantisation(2.0**-29, 5)))):
        assert_equals_golden(TINY, layer, x)


@pytest.mark.parametrize("kind", [Exp, Log, Gelu, partial(Gelu, approximate=True), Sqrt, Relu0To1,
                                  ReluN1To1], ids=lambda kind: getattr(kind, "__name__", "tanh"))
def test_tables_have_the_outputs_of_golden(kind):
    """Of all bytes, in 40 formats."""
    rng = random_of(5)
    for _ in range(40):
        zeros = rng.integers(-128, 128, 2).tolist()
        x, y  = (quantisation(2.0 ** rng.uniform(*ends), zero) for ends, zero in zip(
            ((-8, -3), (-12, 2)), (-128 if kind is Sqrt else zeros[0], zeros[1]), strict=True))
        layer = kind(y)
        given = Tensor(EVERY[8], x)

        form = table.FORMS[type(layer)](layer, given)

        assert [*form.outputs] == golden.run(layer, given).output.data.tolist()
