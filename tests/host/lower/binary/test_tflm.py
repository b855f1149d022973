# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite on two tensors as passes against the golden kernels."""

from contextlib import suppress
from dataclasses import replace
from math import prod

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from tests.support.sizes import each_core, each_size, rarely
from tests.support.tflite.cases import CASES, activation
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.networks import constant, value
from tests.support.tflite.wild import wild_of
from xymac.golden.tflm import (
    Activation,
    Add,
    Maximum,
    Minimum,
    Mul,
    Quantisation,
    Sub,
    Tensor,
)
from xymac.hdl.config import BASE, CORES, TINY
from xymac.hdl.isa import Op
from xymac.host.errors import InputError, Refusal
from xymac.host.frontend.tflm import binary as tflm
from xymac.host.lower.binary.channels import ChannelLowering
from xymac.host.lower.binary.vectors import VectorSumLowering
from xymac.host.lower.registry import find_lowering
from xymac.host.plan.plan import Plan
from xymac.host.tflite import options
from xymac.host.tflite.model import Model, Operator

NAMES = ["ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM"]
EVERY = np.arange(-128, 128).astype(np.int8)
EDGES = np.array([-32768, -32767, -32766, -16385, -16384, -16383, -257, -256, -3, -2, -1, 0, 1, 2,
                  3, 255, 256, 257, 16383, 16384, 16385, 32765, 32766, 32767], np.int16)
SAME  = 7, 9  #: Keys of sums whose operands have one scale.


def quantisation(scale, zero=0):
    return Quantisation((float(np.float32(scale)),), (zero,))


def random_sum(key):
    """A layer of a sum of bytes, and both inputs: every pair of them."""
    rng     = random_of((key, 8))
    scales  = 2.0 ** rng.uniform(-8, 0, 2)
    scales[1] = rng.choice([scales[1], scales[0], scales[0] / 4, scales[0] * 2.0 ** -12])
    most    = max(scales)
    zeros   = rng.choice([-128, 127, 0, *rng.integers(-128, 128, 3)], 3).tolist()
    out     = quantisation(most * rng.choice([1, 2, 0.25, 2.0 ** rng.uniform(-3, 3)]), zeros[2])
    kind    = Sub if key % 2 else Add
    layer   = kind(out, Activation([0, 1, 2, 3][key // 2 % 4]))
    a, b    = (quantisation(*each) for each in zip(scales, zeros[:2], strict=True))
    return layer, Tensor(EVERY[:, None], a), Tensor(EVERY, b)


def check_models(name, config, keys):
    for key in keys:
        model = CASES[name](random_of((key, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))


@each_size
@pytest.mark.parametrize("name", NAMES)
def test_models_equal_golden(name, config):
    check_models(name, config, range(12))


@each_size
@pytest.mark.parametrize("shape", [(1, 6, 1, 1), (2, 1, 1, 1), (2, 6, 1, 1), (1, 1, 8, 1)])
@pytest.mark.parametrize("name", ["ADD", "MUL", "MINIMUM"])
def test_constants_beside_a_value_in_another_order(name, shape, config):
    rng     = random_of((*shape, *name.encode()))
    size    = 2, 6, 8, 2
    tensors = (*(value(each, size) for each in "xry"), constant("axes", np.int32([2])), constant(
        "z", rng.integers(-128, 128, shape).astype(np.int8), (0.0625,)))
    given   = {"ADD": options.AddOptions, "MUL": options.MulOptions}.get(name)
    model   = Model(tensors, (Operator("REVERSE_V2", (0, 3), (1,)),
                              Operator(name, (1, 4), (2,), given and given())), (0,), (2,))

    assert_model(config, model, *random_inputs(model))


@pytest.mark.long
@each_core
@pytest.mark.parametrize("name", NAMES)
def test_many_models_equal_golden(name, config):
    check_models(name, config, range(200))


@pytest.mark.parametrize("key", range(24))
def test_sums_of_every_pair_of_bytes(key):
    assert_equals_golden(BASE, *random_sum(key))


@pytest.mark.long
@pytest.mark.parametrize("key", range(24, 300))
def test_more_sums_of_every_pair_of_bytes(key):
    assert_equals_golden(BASE, *random_sum(key))


@pytest.mark.parametrize("config", [BASE, CORES["compact"]], ids=lambda config: config.name)
@pytest.mark.parametrize("key", [0, 1, 2, 3, *SAME])
def test_sums_of_bytes_that_no_single_pass_makes(monkeypatch, config, key):
    monkeypatch.setattr(tflm, "find_one_pass", lambda *_: None)
    assert_equals_golden(config, *random_sum(key))


@pytest.mark.parametrize(("config", "passes"), [(BASE, 4), (CORES["compact"], 8)],
                         ids=["base", "compact"])
def test_ties_that_the_first_rounding_makes(config, passes):
    """Scales 10 : 3, that a double tells from it and the library's first rounding does not."""
    x    = np.zeros((4, 64), np.int8)
    plan = Plan(config, [Add(quantisation(0.2))], Tensor(x, quantisation(0.1)),
                Tensor(x, quantisation(0.03)))
    assert len(plan.program) == passes
    for kind in Add, Sub:
        assert_equals_golden(config, kind(quantisation(0.2)), Tensor(EVERY[:, None],
                             quantisation(0.1)), Tensor(EVERY, quantisation(0.03)))


@pytest.mark.parametrize("ratio", [1, 2.0**-14, 2.0**-15, 2.0**-40, 3, 0.0007, 1 / 3, *rarely(
    0.5, 2.0**-17, 0.3, 3e-5, 0.999, 0.501, 0.4999)])
@pytest.mark.parametrize("kind", [Add, Sub])
def test_sums_of_words(kind, ratio):
    """Edges with edges, and with noise of both signs."""
    noise = random_of((1, int(1e9 * ratio))).integers(-32768, 32768, 500).astype(np.int16)
    words = np.concatenate([EDGES, noise])
    for a, b in ((EDGES[:, None], words), (words[:, None], EDGES), (noise, noise[::-1])):
        for out in (1, 2, 0.37):
            layer = kind(quantisation(0.01 * max(ratio, 1) * out))
            assert_equals_golden(TINY, layer, Tensor(a, quantisation(0.01)),
                                 Tensor(b, quantisation(0.01 * ratio)))


@pytest.mark.parametrize(("a_scale", "b_scale", "bits", "passes"), [
    (0.0731, 0.0317, 8, 1), (0.1, 0.1, 8, 1), (0.1, 0.1, 16, 1), (0.1, 0.2, 16, 1),
    (0.1, 0.03, 16, 7)])
def test_passes_of_a_sum(a_scale, b_scale, bits, passes):
    x    = np.zeros((4, 64), np.dtype(f"int{bits}"))
    plan = Plan(BASE, [Add(quantisation(0.2))], Tensor(x, quantisation(a_scale)),
                Tensor(x, quantisation(b_scale)))
    assert len(plan.program) == passes


@pytest.mark.parametrize("shapes", [
    ((2, 3, 4, 5), (5,)), ((2, 3, 4, 5), ()), ((5,), (2, 3, 4, 5)), ((3, 1, 5), (2, 1, 4, 1)),
    ((2, 3, 4, 5), (3, 4, 5)), ((1, 3, 1, 5), (2, 1, 4, 5)), ((2, 3, 4, 1), (2, 3, 4, 5)),
    ((1, 1, 1, 1), (1,)), ((1, 6, 1, 7), (1, 1, 5, 1)), ((2, 1, 3, 1, 9), (2, 4, 1, 2, 9)),
    ((1, 4, 4, 20), (1, 1, 1, 20)), ((3, 1), (1, 3)), ((2, 2, 1), (2, 1, 18))])
@pytest.mark.parametrize("layer", [Add(quantisation(0.2, 5)), Mul(quantisation(0.9, -7)),
                                   Minimum(quantisation(1.0))], ids=["ADD", "MUL", "MINIMUM"])
@each_size
def test_shapes_that_repeat(config, layer, shapes):
    rng  = random_of((len(shapes[0]), len(shapes[1])))
    a, b = (Tensor(np.asarray(rng.integers(-128, 128, shape), np.int8), kind) for shape, kind
            in zip(shapes, (quantisation(0.1, 3), quantisation(0.07, -100)), strict=True))
    assert_equals_golden(config, layer, a, b)


@pytest.mark.parametrize("shapes", [((1, 40, 30, 9), (9,)), ((40, 1, 9), (1, 40, 30, 1)),
                                    ((40, 30, 9), (1, 40, 30, 9))])
@pytest.mark.parametrize("layer", [Add(quantisation(0.2)), Mul(quantisation(0.9))],
                         ids=["ADD", "MUL"])
def test_parts(layer, shapes):
    """Of an image that memory does not hold at once."""
    rng  = random_of(len(shapes[0]))
    a, b = (Tensor(rng.integers(-32768, 32768, shape).astype(np.int16), quantisation(scale))
            for shape, scale in zip(shapes, (0.1, 0.07), strict=True))
    assert_equals_golden(TINY, layer, a, b)


@pytest.mark.parametrize("name", ["ADD", "MUL", "MINIMUM", "LOGISTIC", "LEAKY_RELU", "RELU"])
@pytest.mark.parametrize("size", [5, 19])
@each_size
def test_layouts_that_readers_prefer(config, name, size):
    """Runs of channels, for a PRELU with slopes along them."""
    first = CASES[name](random_of((3, *name.encode())))
    rng   = random_of(size)
    kind  = first.tensors[-1].type
    shape = (2, 3, 2, size)
    sizes = [shape, (size,)][:len(first.inputs)]
    tensors = [replace(tensor, shape=each) for tensor, each
               in zip(first.tensors, [*sizes, shape], strict=True)]
    slope = constant("slope", rng.integers(-128, 128, (1, 1, size)).astype(np.int8), (2.0**-7,))
    last  = activation(rng, "y", shape, kind)
    count = len(tensors)
    model = Model((*tensors, slope, last), (
        *first.operators, Operator("PRELU", (count - 1, count), (count + 1,))),
        first.inputs, (count + 1,))
    assert_model(config, model, *random_inputs(model))


@pytest.mark.parametrize(("shapes", "bits", "scales"), [
    (((1, 12, 12, 17), (17,)), 8, (0.071, 0.033)), (((1, 1, 1, 33), (2, 9, 9, 33)), 8, (3e-4, 0.3)),
    (((9, 300), ()), 8, (0.071, 0.033)), (((1, 1, 1), (3, 30, 40)), 8, (0.01, 0.3)),
    (((2, 9, 9, 16), (1, 1, 1, 16)), 16, (0.1, 0.2)), (((64, 40), (1, 1)), 16, (0.4, 0.1)),
    (((1, 50, 50, 3), (3,)), 8, (0.2, 0.2))])
@pytest.mark.parametrize("kind", [Add, Sub])
@each_size
def test_sums_with_vectors(config, kind, shapes, bits, scales):
    rng    = random_of((bits, len(shapes[0])))
    limits = np.iinfo(f"int{bits}")
    a, b   = (Tensor(np.asarray(rng.integers(limits.min, limits.max, shape, endpoint=True),
                                limits.dtype), quantisation(scale, zero * (bits == 8)))
              for shape, scale, zero in zip(shapes, scales, (-100, 77), strict=True))
    layer  = kind(quantisation(max(scales) * 1.7, 5 * (bits == 8)))
    assert isinstance(find_lowering(layer, (a, b), config.ways),
                      VectorSumLowering | ChannelLowering)
    assert_equals_golden(config, layer, a, b)


def test_a_vector_is_added_to_an_image_in_one_pass_over_it():
    image  = Tensor(np.zeros((1, 16, 16, 16), np.int8), quantisation(0.1))
    vector = Tensor(np.zeros((1, 1, 1, 16), np.int8), quantisation(0.1))
    plan   = Plan(BASE, [Add(quantisation(0.1))], image, vector)

    assert sorted(prod(pass_.loop.outer) for pass_ in plan.program) == [1, 1, 1, 1, 1, 256]


@pytest.mark.parametrize("kind", [Maximum, Minimum])
def test_extremes_do_not_look_at_scales(kind):
    a, b = np.meshgrid(EVERY, EVERY)
    assert_equals_golden(BASE, kind(quantisation(3.0, 1)), Tensor(a, quantisation(0.1, 9)),
                         Tensor(b, quantisation(7.0, -9)))


@pytest.mark.parametrize(("scale", "zeros"), [
    (0.5, (0, 0, 0)), (0.25, (-128, 127, -128)), (1.0, (3, -5, 127)), (2.0**-40, (0, 1, 5)),
    (300.0, (7, 0, -2)), (30000.0, (0, 0, -2)), (1 / 3, (-1, -1, 0))])
def test_products_of_every_pair_of_bytes(scale, zeros):
    kinds = [quantisation(1.0, zero) for zero in zeros[:2]]
    assert_equals_golden(BASE, Mul(quantisation(1 / scale, zeros[2])),
                         Tensor(EVERY[:, None], kinds[0]), Tensor(EVERY, kinds[1]))


@pytest.mark.parametrize("scale", [2.0**-15, 2.0**-16, 0.7, 1e-5, 0.99 * 2.0**-1])
def test_products_of_words(scale):
    assert_equals_golden(TINY, Mul(quantisation(1 / scale)), Tensor(EDGES[:, None],
                         quantisation(1.0)), Tensor(EDGES, quantisation(1.0)))


def test_a_vector_is_multiplied_with_an_image_in_one_pass_more():
    image  = Tensor(np.zeros((1, 8, 8, 16), np.int8), quantisation(0.1))
    vector = Tensor(np.zeros((1, 1, 1, 16), np.int8), quantisation(0.1))
    plan   = Plan(BASE, [Mul(quantisation(0.1))], image, vector)

    assert [pass_.loop.outer for pass_ in plan.program] == [(1, 1, 1), (1, 1, 64)]


@pytest.mark.parametrize(("layer", "inputs", "sentence"), [
    (Mul(quantisation(2.0**-16)), [quantisation(1.0, 100)] * 2,
     r"^A factor must keep 51984 within 32 bits, not one of about 2\*\*17$"),
    (Add(quantisation(1.0)), [quantisation(1.0, 1), quantisation(0.3)],
     r"^Zero points of INT16 operands of a sum must be 0, not 1$")])
def test_what_wraps_is_refused(layer, inputs, sentence):
    dtype = np.int8 if isinstance(layer, Mul) else np.int16
    with pytest.raises(Refusal, match=sentence):
        Plan(TINY, [layer], *(Tensor(np.zeros(4, dtype), kind) for kind in inputs))


@pytest.mark.parametrize("name", NAMES)
def test_scales_that_no_converter_would_write(name):
    for key in range(20):
        model = wild_of(name, key)
        with suppress(InputError):
            assert_model(TINY, model, *random_inputs(model, key))


def test_extremes_are_passes_of_their_own():
    x    = Tensor(np.zeros(64, np.int8), quantisation(0.1))
    plan = Plan(BASE, [Maximum(quantisation(0.1))], x, x)

    assert [pass_.accumulate.op for pass_ in plan.program] == [Op.MAX]
