# SPDX-License-Identifier: Apache-2.0
"""Layers of TensorFlow Lite that keep a state: random ones, and calls one after the other."""

from dataclasses import replace

import numpy as np

from tests.support.rtl_device import fill
from tests.support.seed import random_of
from tests.support.tflite.cases import scale_of
from xymac.golden import run
from xymac.golden.tflm import Svdf, Tensor, UnidirectionalSequenceLstm
from xymac.golden.tflm.tensor import Quantisation
from xymac.host.device.device import MachineDevice
from xymac.host.plan.tiling.tiled import make_plan

__all__ = ["assert_calls", "input_of", "random_lstm", "random_svdf", "reversed_input"]

_STATES = {Svdf: ("state",), UnidirectionalSequenceLstm: ("state", "cell")}


def weights_of(rng, shape, dtype=np.int8, peak=127):
    """Weights of magnitudes up to ``peak`` with one scale."""
    return Tensor(rng.integers(-peak, peak + 1, shape).astype(dtype),
                  Quantisation((scale_of(rng, -10, -4),), (0,)))


def draw(rng, shape, dtype, zero=0, scale=None):
    """Any elements."""
    limits = np.iinfo(dtype)
    return Tensor(rng.integers(limits.min, limits.max + 1, shape).astype(dtype),
                  Quantisation((scale or scale_of(rng),), (zero,)))


def random_svdf(key, batch=1, inputs=5, units=6, rank=2, memory=4, *, dtype=np.int8, peak=127):
    """SVDF with a state of ``dtype`` and weights in time up to ``peak``."""
    rng, filters = random_of(key), units * rank
    zero = int(rng.choice([0, -128, 127, -5])) if dtype == np.int8 else 0
    return Svdf(weights_of(rng, (filters, inputs)), weights_of(rng, (filters, memory), dtype, peak),
                Tensor(rng.integers(-1000, 1000, units).astype(np.int32),
                       Quantisation((2.0 ** -12,), (0,))),
                draw(rng, (batch, filters * memory), dtype, zero),
                Quantisation((scale_of(rng),), (int(rng.integers(-128, 128)),)), rank)


def random_lstm(key, batch=1, inputs=5, units=6, **fields):
    """A recurrent layer with random weights and states; ``fields`` are of the layer."""
    rng  = random_of(key)
    zero = int(rng.choice([0, -128, 127, -5]))
    def gates(make, *shape):
        return tuple(make(shape) for _ in range(4))
    def bias(shape):
        return Tensor(rng.integers(-1000, 1000, shape).astype(np.int32),
                      Quantisation((2.0 ** -12,), (0,)))
    scale = fields.pop("scale", 2.0 ** -11)
    return UnidirectionalSequenceLstm(
        gates(lambda shape: weights_of(rng, shape), units, inputs),
        gates(lambda shape: weights_of(rng, shape), units, units), gates(bias, units),
        draw(rng, (batch, units), np.int8, zero, 2.0 ** -7),
        draw(rng, (batch, units), np.int16, 0, scale), **fields)


def input_of(key, *shape):
    """An input of 8 bits; those of one call have the format of those of another."""
    rng  = random_of((key, 7))
    zero = int(rng.choice([-128, 127, 3]))
    return draw(random_of((key, *shape, 8)), shape, np.int8, zero, 0.25)


def reversed_input(x):
    """The same elements in another order."""
    return replace(x, data=np.flip(x.data).copy())


def assert_calls(config, layer, *inputs, device=None):
    """One plan, run for every input, each time from the states before: outputs, states and flags
    are golden's. Returns the plan."""
    plan = make_plan(config, [layer], inputs[0])
    if device is not None:
        _call(plan, device, layer, inputs)
        return plan
    with MachineDevice(config) as machine:
        fill(machine, seed=1)
        _call(plan, machine, layer, inputs)
    return plan


def _call(plan, device, layer, inputs):
    plan.load(device)
    states = plan.states
    for x in inputs:
        expected = run(layer, x)
        actual   = plan.run(device, x, states=states)
        layer    = layer.following(expected)
        assert actual.output == expected.output
        assert actual.cells == (expected.cell,)
        assert actual.overflows == (expected.overflow,)
        states = actual.states
        assert states == (tuple(getattr(layer, name) for name in _STATES[type(layer)]),)
