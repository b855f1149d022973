# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite that are functions of a byte as passes against golden kernels."""

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.lowered import assert_equals_golden, assert_plan
from tests.support.seed import random_of
from tests.support.sizes import each_size
from tests.support.tflite.cases import CASES
from tests.support.tflite.lowered import assert_model
from xymac import golden
from xymac.golden.tflm import HardSwish, LeakyRelu, Logistic, Quantisation, Tanh, Tensor
from xymac.hdl.config import BASE, CORES, TINY
from xymac.host.errors import Refusal
from xymac.host.frontend.tflm.table import FORMS
from xymac.host.plan.plan import Plan

EVERY = np.arange(-128, 128).astype(np.int8)
UNIT  = Quantisation((2.0**-8,), (-128,))
SIGN  = Quantisation((2.0**-7,), (0,))


def quantisation(scale, zero=0):
    return Quantisation((float(np.float32(scale)),), (zero,))


@each_size
@pytest.mark.parametrize("name", ["HARD_SWISH", "LOGISTIC", "TANH"])
def test_models_equal_golden(name, config):
    for key in range(8):
        model = CASES[name](random_of((key, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))


@pytest.mark.parametrize("layer", [Logistic(UNIT), Tanh(SIGN)], ids=["LOGISTIC", "TANH"])
def test_curves_of_every_byte(layer):
    """For scales from far below a step of the output to beyond the curve."""
    rng = random_of(5)
    for scale in (*(2.0**power for power in range(-27, 8)), *2.0 ** rng.uniform(-12, 2, 60)):
        x = Tensor(EVERY, quantisation(scale, int(rng.choice([-128, 127, 0, 9]))))
        outputs = FORMS[type(layer)](layer, x).outputs
        assert outputs == tuple(golden.run(layer, x).output.data.tolist())


def test_hard_swish_of_every_byte():
    rng = random_of(6)
    for key in range(150):
        scale = 2.0 ** rng.uniform(-12, 4)
        out   = scale * 2.0 ** rng.uniform(-6.9, 9 if key % 3 else 25)
        x     = Tensor(EVERY, quantisation(scale, int(rng.choice([-128, 127, 0, 9]))))
        layer = HardSwish(quantisation(out, int(rng.choice([-128, 127, 0, -9]))))
        outputs = FORMS[type(layer)](layer, x).outputs
        assert outputs == tuple(golden.run(layer, x).output.data.tolist())


@pytest.mark.parametrize("config", [TINY, BASE, CORES["compact"]], ids=lambda config: config.name)
@pytest.mark.parametrize("layer", [Logistic(UNIT), Tanh(SIGN), HardSwish(quantisation(0.04, -3))])
def test_every_byte_on_a_core(config, layer):
    assert_equals_golden(config, layer, Tensor(EVERY, quantisation(0.05, 7)))


def test_more_tables_than_a_core_holds():
    """Of 20 layers one after the other, 15 with a table of their own."""
    rng, layers = random_of(7), []
    for _ in range(5):
        out = [quantisation(2.0 ** rng.uniform(-5, -3), int(rng.integers(-20, 20)))
               for _ in range(2)]
        layers += [HardSwish(out[0]), LeakyRelu(out[1], 0.3), Logistic(UNIT), Tanh(SIGN)]
    assert_plan(TINY, layers, Tensor(EVERY, quantisation(0.05, 7)), keep=False)


@pytest.mark.parametrize("scale", [
    2.0**-12, 2.0**-11, 2.0**-10, 1.0, 2.6, 2.0**-40, 0.0123, 0.3, 0.001, 1 / 3, 2.0**-15 * 1.1])
@pytest.mark.parametrize("kind", [Logistic, Tanh])
def test_curves_of_every_word(kind, scale):
    """Also where whole steps of the table are an element's, and where all is beyond it."""
    words = np.arange(-32768, 32768).astype(np.int16)
    assert_equals_golden(BASE, kind(quantisation(2.0**-15)), Tensor(words, quantisation(scale)))


def test_curves_of_words_need_tables():
    x = Tensor(np.zeros(4, np.int16), quantisation(0.1))
    with pytest.raises(Refusal, match=r"^There are no passes for Tanh with these "
                       r"inputs on a core without writable tables, such as compact$"):
        Plan(CORES["compact"], [Tanh(quantisation(2.0**-15))], x)
