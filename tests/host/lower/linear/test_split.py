# SPDX-License-Identifier: Apache-2.0
"""Matrices of few outputs, whose idle lanes take a part of the inputs each: the same bits in all
libraries, in fewer cycles and with no more constants."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden, noise
from tests.support.seed import random_of
from tests.support.sizes import between
from xymac.golden import mli1, mli2, xs3
from xymac.golden.mli2 import Affine, Element, Fixed, QuantTensor
from xymac.golden.tflm import Quantisation
from xymac.golden.xs3 import Integers
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.hdl.isa import Op
from xymac.host.lower.linear import passes, split
from xymac.host.lower.registry import find_lowering
from xymac.host.plan.plan import Plan
from xymac.sim.benchmarks.quantised import deep_conv

from .test_tflm import bias_of, matrix, predicted, tensor

SIZES = pytest.mark.parametrize("config", [TINY, between(SMALL), BASE],
                                ids=lambda config: config.name)


def fixed(rng, outputs, inputs, dtypes=(np.int8, np.int8), **options):
    """A matrix of MLI 1.x, and its input."""
    x_type, w_type = dtypes
    layer = mli1.FullyConnected(noise(rng, (outputs, inputs), w_type, 7, **options),
                                noise(rng, (outputs,), w_type, 7), 3)
    return layer, noise(rng, (inputs,), x_type, 7)


def affine(rng, outputs, inputs):
    """A matrix of MLI 2.0, and its input."""
    weights = rng.integers(-128, 128, (inputs, outputs), np.int8)
    layer = mli2.FullyConnected(
        QuantTensor(weights, Element.SA_8, Affine(1, 20003, 19)),
        QuantTensor(rng.integers(-999, 999, outputs, np.int32), Element.SA_32, Affine(0, 1, 0)),
        Affine(-4, 23456, 5))
    return layer, QuantTensor(rng.integers(-128, 128, inputs, np.int8), Element.SA_8,
                              Affine(3, 20003, 14))


def wrapping(rng, outputs, inputs):
    """A matrix of MLI 2.0 whose sums wrap at 32 bits, and its input."""
    layer = mli2.FullyConnected(
        QuantTensor(rng.integers(-128, 128, (inputs, outputs), np.int8), Element.FX_8, Fixed(7)),
        QuantTensor(rng.integers(-128, 128, outputs, np.int8), Element.FX_8, Fixed(3)), Fixed(-1))
    return layer, QuantTensor(rng.integers(-1 << 15, 1 << 15, inputs, np.int16), Element.FX_16,
                              Fixed(7))


def blocks(rng, outputs, inputs):
    """A matrix of the XS3 library, and its input."""
    conv, _ = deep_conv((outputs, 1, 1, inputs), (1, 1, 1), rng)
    return (xs3.FullyConnected(Integers(conv.weights.data[:, 0, 0]), conv.bso),
            Integers(rng.integers(-128, 128, inputs, np.int8)))


def deepin(rng, outputs, inputs):
    """One of its matrices whose outputs are rounded twice, and its input: in blocks of 32."""
    inputs += -inputs % 32
    parameters = [Integers(np.full(16, value, np.int16)) for value in (8, 1 << 13)]
    return (xs3.FcDeepin(Integers(rng.integers(-128, 128, (outputs, inputs), np.int8)),
                         Integers(np.arange(outputs, dtype=np.int32)), *parameters, 8),
            Integers(rng.integers(-128, 128, inputs, np.int8)))


CALLS = {
    "fx8": fixed, "fx16": lambda *sizes: fixed(*sizes, (np.int16, np.int16), peak=200),
    "fx8w16d": lambda *sizes: fixed(*sizes, (np.int16, np.int8)), "sa8": affine,
    "wraps": wrapping, "xs3": blocks, "deepin": deepin,
    "tflm": lambda rng, outputs, inputs: (
        matrix(rng, outputs, inputs, bias=bias_of(*rng.integers(-1 << 20, 1 << 20, outputs))),
        tensor(rng, (1, inputs), zero=int(rng.choice([-128, 0, 99, 127])))),
    "tflm int16": lambda rng, outputs, inputs: (
        matrix(rng, outputs, inputs, out=Quantisation((0.5,), (0,))),
        tensor(rng, (1, inputs), np.int16)),
    "tflm wraps": lambda rng, outputs, inputs: (
        replace(matrix(rng, outputs, inputs, scale=32.0), weights=replace(
            matrix(rng, outputs, inputs, scale=32.0).weights, data=rng.integers(
                -1, 2, (outputs, inputs), np.int8))), tensor(rng, (1, inputs), zero=-5)),
}


@pytest.mark.parametrize("name", CALLS)
@SIZES
def test_layers_equal_golden(config, name):
    """All counts of outputs that leave lanes idle, with a rest of inputs that fills no group."""
    rng    = random_of([*name.encode()])
    counts = range(1, 2 * config.lanes, 1 + config.lanes // 5)
    splits = 0
    for outputs in counts:
        outputs = 4 if name in ("xs3", "deepin") and config.lanes < 16 else min(
            outputs, 16 if name == "deepin" else outputs)
        layer, x = CALLS[name](rng, outputs, 96 * config.ways * 4 + int(rng.integers(1, 16)))

        run = assert_equals_golden(config, layer, x)

        splits += any(pass_.accumulate.hold for pass_ in run.plan.program)
    assert splits or (config is TINY and name in ("xs3", "deepin"))


@pytest.mark.parametrize(("config", "outputs", "inputs", "most"), [
    (BASE, 1, 60000, 4.3), (BASE, 4, 40000, 1.1), (BASE, 8, 16000, 1.2), (BASE, 12, 16000, 1.1),
    (SMALL, 1, 30000, 2.2), (SMALL, 4, 16000, 1.1), (TINY, 1, 8000, 1.11), (TINY, 3, 8000, 1.1)])
def test_idle_lanes_are_used(config, outputs, inputs, most, monkeypatch):
    """A single output is bound by X, which gives a lane an element a cycle."""
    rng   = random_of(inputs)
    layer = matrix(rng, outputs, inputs)
    plan  = Plan(config, [layer], tensor(rng, (1, inputs)))
    monkeypatch.setattr(passes, "split_matrix", lambda *_: None)
    plain = Plan(config, [layer], tensor(rng, (1, inputs)))

    assert predicted(plan) < most * outputs * inputs / config.products
    assert predicted(plan) < predicted(plain)
    assert plan.steps[0].values.cells.size <= plain.steps[0].values.cells.size


@pytest.mark.parametrize("config", [TINY, BASE], ids=lambda config: config.name)
def test_no_layer_is_later(config, monkeypatch):
    """Around the least number of inputs for which lanes share them."""
    rng = random_of(8)
    for outputs in {1, 3, config.lanes // 2, config.lanes // 2 + 1, config.lanes + 1}:
        for inputs in range(config.ways * 120, config.ways * 420, config.ways * 23):
            layer, x = matrix(rng, outputs, inputs), tensor(rng, (1, inputs))
            own      = predicted(Plan(config, [layer], x))
            with monkeypatch.context() as patch:
                patch.setattr(passes, "split_matrix", lambda *_: None)
                assert own <= predicted(Plan(config, [layer], x))


def test_constants_of_one_output_are_not_padded():
    """94,400 inputs, more than X holds: their weights are loaded as they are."""
    rng   = random_of(1)
    run   = assert_equals_golden(BASE, matrix(rng, 1, 94400), tensor(rng, (1, 94400), zero=7))
    plans = [part.plan for part in run.plan.parts]

    loaded = sum(2 * values.cells.size for plan in plans for load in plan.loads
                 for values in load.constants)

    assert loaded < 1.02 * 94400


def test_banks_take_groups_of_their_own_part_by_part():
    """Inputs that X, and weights that Y cannot hold: sums of crossed groups are held in between."""
    rng = random_of(2)
    run = assert_equals_golden(BASE, matrix(rng, 5, 94400), tensor(rng, (1, 94400), zero=7))
    [plan] = (part.plan for part in run.plan.parts)

    assert len(plan.loads) > 1
    assert any(pass_.accumulate.op is Op.CROSS and pass_.accumulate.resume
               for pass_ in plan.program)


def test_sums_that_two_words_cannot_hold_are_made_as_before():
    """Partial sums of 31 bits and more."""
    rng, inputs = random_of(3), 4000
    layer = mli1.FullyConnected(noise(rng, (1, inputs), np.int16, 7),
                                noise(rng, (1,), np.int16, 7), 3)
    x     = noise(rng, (inputs,), np.int16, 7)

    run = assert_equals_golden(BASE, layer, x)

    assert not any(pass_.accumulate.hold for pass_ in run.plan.program)


def test_both_lengths_of_the_low_word():
    """Partial sums of 29 and of 30 bits, at both ends of the range."""
    for size, bits in ((120, 14), (240, 15)):
        inputs = size * BASE.lanes
        for sign in (1, -1):
            weights = mli1.Tensor(np.full((1, inputs), 127, np.int8), 7)
            layer   = mli1.FullyConnected(weights, mli1.Tensor(np.zeros(1, np.int8), 7), 0)
            x       = mli1.Tensor(np.full(inputs, 32767 * sign, np.int16), 7)

            run = assert_equals_golden(BASE, layer, x)

            lowering = find_lowering(layer, (x,), BASE.ways)
            [source] = lowering.source_layouts(None)
            assert lowering._split(source).low_bits == bits
            assert any(pass_.accumulate.hold for pass_ in run.plan.program)
    assert split._LOWS.keys() == {14, 15}
