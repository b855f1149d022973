# SPDX-License-Identifier: Apache-2.0
"""Devices that take other operands, lose products or move outputs: the report says which."""

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
import pytest

from tests.support.seed import SEED
from xymac.golden.tflm import Padding
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.explain import explain
from xymac.host.kit.operands import operands_of
from xymac.host.kit.requantise import Requantise
from xymac.host.kit.stimuli.generate import generate

CONV  = ("conv2d", "tflm", "int8")
CONV1 = ("conv2d", "mli-1", "fx8")
CONV2 = ("conv2d", "mli-2", "sa8")
DEPTH = ("depthwise_conv2d", "tflm", "int8")
DENSE = ("fully_connected", "tflm", "int8")
TILE  = ("accumulate", "tflm", "int8")
UNIT  = ("requantise", "tflm", "int8")
ADD   = ("add", "tflm", "int8")
POOL  = ("max_pool", "tflm", "int8")
SOFT  = ("softmax", "tflm", "int8")
SIDES = (1, 0, 3, 2)  #: Top and bottom, left and right exchanged.


@lru_cache(maxsize=4)
def cases_of(kind, count=100):
    return generate(Supports(*kind), count, SEED.value).cases


def with_inputs(change, case, only=None):
    """The right output for other input elements."""
    inputs = [replace(x, data=change(x.data.astype(int)).astype(x.data.dtype))
              if only in (None, place) else x for place, x in enumerate(case.inputs)]
    return replace(case, inputs=tuple(inputs)).expected()


def with_weights(change, case):
    weights = case.layer.weights
    if isinstance(weights, np.ndarray):
        return replace(case, layer=replace(case.layer, weights=change(weights))).expected()
    return replace(case, layer=replace(case.layer, weights=replace(
        weights, data=np.ascontiguousarray(change(weights.data))))).expected()


def with_layer(change, case):
    return replace(case, layer=change(case.layer)).expected()


def with_bias(change, case):
    if case.layer.bias is None:
        return case.expected()
    return with_layer(lambda layer: replace(layer, bias=replace(
        layer.bias, data=change(layer.bias.data))), case)


def first(count):
    """Weights of the first products only, of a number given by a function of their number."""
    def change(weights):
        weights = weights.copy()
        weights[:, count(weights.shape[1]):] = 0
        return weights
    return partial(with_weights, change)


def last(size):
    """Weights after the last whole block of ``size`` only."""
    def change(weights):
        weights = weights.copy()
        weights[:, :(weights.shape[1] - 1) // size * size] = 0
        return weights
    return partial(with_weights, change)


def channels(count):
    """Weights of the first input channels of a kernel only."""
    def change(weights):
        weights = weights.copy()
        weights[..., count:] = 0
        return weights
    return partial(with_weights, change)


def place(weights, index):
    """Weights with 0 at an index, if there is one."""
    weights = weights.copy()
    with suppress(IndexError):
        weights[index] = 0
    return weights


def folded(case):
    """A line buffer of 16 columns: the drawn cases with wide images are every 32nd case."""
    return with_inputs(lambda x: x if x.shape[2] <= 16 else np.concatenate(
        [x[:, :, :16], x[:, :, np.arange(x.shape[2] - 16) % 16]], axis=2), case)


def saturating(bits, case):
    """A sum that starts at 0 and saturates after every product, and after the bias, the last."""
    given  = operands_of(case)
    ends   = -1 << bits - 1, (1 << bits - 1) - 1
    terms  = given["x"].astype(int).reshape(-1, 1, given["weights"].shape[1]) - given["x_zero"]
    sums   = np.zeros((len(terms), len(given["weights"])), int)
    for products in np.moveaxis(terms * given["weights"].astype(int), -1, 0):
        sums = np.clip(sums + products, *ends)
    sums = np.clip(sums + given.get("bias", 0), *ends)
    unit = Requantise("tflm", tuple(given["multiplier"]), tuple(given["shift"]),
                      given["out_zero"], given["low"], given["high"], bits=8)
    return unit.run(sums).reshape(case.shape)


def padded(case, pads=(0, 1, 2, 3), **options):
    """The output for an image with its padding in it."""
    x, pad = case.inputs[0], [case.operands["pad"][place] for place in pads]
    if not any(pad):
        return case.expected()
    data = np.pad(x.data, ((0, 0), pad[:2], pad[2:], (0, 0)), **options)
    return replace(case, layer=replace(case.layer, padding=Padding.VALID),
                   inputs=(replace(x, data=data),)).expected()


def at_right(case):
    return padded(case, SIDES, constant_values=case.operands["x_zero"])


def at_end(change, case):
    output = case.expected().astype(int)
    ends   = np.iinfo(case.dtype)
    return np.clip(change(output, case), ends.min, ends.max).astype(case.dtype)


def pairs(x):
    return x[..., [place ^ 1 if place ^ 1 < x.shape[-1] else place
                   for place in range(x.shape[-1])]]


def out(change):
    return partial(at_end, lambda output, case: change(output))


FAULTS = [
    (DENSE, first(lambda count: count - 1), "the last product of a sum is missing"),
    (DENSE, first(lambda count: min(count, 256)), "products from 256 on are missing"),
    (DENSE, first(lambda count: count // 8 * 8), "after the last multiple of 8 are missing"),
    (DENSE, first(lambda count: count if count != 256 else 0),
     "sums of 256 products are missing"),
    (DENSE, first(lambda count: count % 256), "the number of products counts modulo 256"),
    (DENSE, first(lambda count: count % 1024), "the number of products counts modulo 1024"),
    (DENSE, first(lambda count: min(count, 16)), "products from 16 on are missing"),
    (CONV, channels(16), "products of input channels from 16 on are missing"),
    (CONV, partial(with_weights, lambda weights: place(weights, (..., 5))),
     "products of input channel 5 are missing"),
    (CONV, partial(with_weights, lambda weights: place(weights, (slice(None), 1, 2))),
     "products of row 1, column 2 of the kernel are missing"),
    (DEPTH, partial(with_weights, lambda weights: place(weights, (slice(None), 1, 0))),
     "products of row 1, column 0 of the kernel are missing"),
    (DENSE, partial(with_weights, lambda weights: place(weights, (..., 7))),
     "products of input 7 are missing"),
    (CONV, folded, "in cases with width of"),
    (DENSE, partial(saturating, 20),
     "the sum saturates at 20 bits after every product, then with the bias"),
    (DENSE, last(16), "starts again every 16 products"),
    (TILE, last(64), "starts again every 64 products"),
    (DENSE, partial(with_bias, lambda bias: np.roll(bias, 1)),
     "every channel has the bias of the one before"),
    (DENSE, partial(with_bias, lambda bias: np.full_like(bias, bias[0])),
     "all channels have the bias of channel 0"),
    (DENSE, partial(with_bias, lambda bias: 0 * bias), "the bias is missing"),
    (DENSE, partial(with_weights, lambda weights: weights[:, ::-1]),
     "the channel order of the input is reversed"),
    (DENSE, partial(with_weights, lambda weights: np.roll(weights, 1, 0)),
     "every output has the weights of the one before"),
    (DENSE, partial(with_weights, lambda weights: weights.reshape(weights.shape[::-1]).T),
     "outputs and inputs of the weights are exchanged in memory"),
    (CONV, partial(with_weights, lambda weights: weights[:, ::-1, ::-1]),
     "the kernel is turned by 180 degrees"),
    (DEPTH, partial(with_weights, lambda weights: weights[:, :, ::-1]),
     "the columns of the kernel are in reversed order"),
    (CONV2, partial(with_weights, lambda weights: weights[::-1]),
     "the rows of the kernel are in reversed order"),
    (CONV1, partial(with_weights, lambda weights: weights & -2),
     "the lowest bit of the weights is cut"),
    (DEPTH, at_right, "top and bottom, left and right padding are exchanged"),
    (DEPTH, partial(padded, mode="edge"), "padding is the elements at the border"),
    (DEPTH, partial(padded, constant_values=-128), "padding is the lowest element"),
    (CONV, partial(with_inputs, lambda x: np.maximum(x, -127)),
     "the lowest element of the input counts as the next higher one"),
    (ADD, partial(with_inputs, lambda x: np.where(x == -128, 127, x), only=1),
     "the lowest element of the second input counts as the highest one"),
    (ADD, partial(with_inputs, lambda x: (x + 64 & 127) - 64, only=0),
     "the first input wraps at one bit less"),
    (SOFT, partial(with_inputs, lambda x: x & -2), "the lowest bit of the input is cut"),
    (POOL, partial(with_inputs, lambda x: np.abs(x).clip(0, 127)),
     "the sign of the input is lost"),
    (UNIT, partial(with_layer, lambda layer: replace(layer, zero_point=0)),
     "the output zero point is missing"),
    (UNIT, partial(with_layer, lambda layer: replace(layer, shift=tuple(
        max(shift, -15) for shift in layer.shift))),
     "right shifts of more than 15 bits are shifts of 15 bits"),
    (UNIT, partial(with_layer, lambda layer: replace(
        layer, multiplier=layer.multiplier[:1] * len(layer.multiplier))),
     "all channels have the multiplier of channel 0"),
    (UNIT, partial(with_layer, lambda layer: replace(layer, high=127)),
     "the upper limit of the output is left out"),
    (UNIT, lambda case: replace(case, inputs=(case.inputs[0] & -16,)).expected(),
     "the lowest 4 bits of every sum are cut"),
    *((kind, partial(with_weights, lambda weights, count=count: weights.reshape(-1)[
        np.arange(weights.size) % count].reshape(weights.shape)),
       f"places of weights in memory count modulo {count}")
      for kind, count in ((DENSE, 256), (CONV, 1024), (DEPTH, 64))),
    (SOFT, out(pairs), "every 2 channels are exchanged"),
    (DENSE, out(lambda y: np.roll(y, 1, -1)), "turned by one element"),
    (DENSE, out(lambda y: y | 32), "bit 5 of every element is 1"),
    (ADD, out(lambda y: y & ~4), "bit 2 of every element is 0"),
    (ADD, out(lambda y: -y), "every element has the opposite sign"),
    (ADD, out(lambda y: np.where(y == -1, 0, y)), "where -1 is expected"),
    (DENSE, out(lambda y: y - (y > 0)), "lie where more than 0 is expected;"),
    (SOFT, partial(at_end, lambda y, case: np.where(np.arange(y.size).reshape(y.shape) < 256,
                                                    y, y ^ 1)),
     "in elements from 256 on of a result"),
    (DENSE, partial(at_end, lambda y, case: np.where(
        np.arange(y.size).reshape(y.shape) < 1024, y, y ^ 1)),
     "the only one with outputs of 1025"),
    (UNIT, partial(at_end, lambda y, case: y ^ 1 if y.shape[-1] > 256 else y),
     "the only one with channels of 257")]


@pytest.mark.parametrize(("kind", "device", "sentence"), FAULTS,
                         ids=lambda value: value if isinstance(value, str) else None)
def test_the_operand_or_the_place_is_said(kind, device, sentence):
    cases = cases_of(kind)

    verdict = explain(cases, [device(case) for case in cases])

    assert not verdict.equal
    assert sentence in verdict.sentence


@pytest.mark.parametrize("kind", [DENSE, UNIT, ADD], ids=" ".join)
def test_a_few_wrong_outputs_are_no_operand(kind):
    cases   = cases_of(kind, 30)
    results = [case.expected() for case in cases]
    for number in (3, 17, 23, 29):
        results[number].flat[-1] ^= 8

    verdict = explain(cases, results)

    assert verdict.rule is None
    assert not any(word in verdict.sentence for word in (
        "product", "weights", "late", "early", "input", "the case before"))


def test_a_rearrangement_explains_equal_elements_too():
    """Five wrong cases look like copies of the first channel, the sixth has a single element."""
    cases   = [case for case in cases_of(DENSE) if case.shape[-1] > 16][:5]
    single  = [case for case in cases_of(DENSE) if case.shape[-1] == 1][:1]
    results = [np.full_like(case.expected(), case.expected().flat[0]) for case in cases]
    results.append(single[0].expected() ^ 64)

    verdict = explain([*cases, *single], results)

    assert "every channel is the first one" not in verdict.sentence


def test_a_constant_result_is_no_late_result():
    """Saturated results equal their neighbours, which is no delay."""
    cases   = [case for case in cases_of(DENSE) if case.shape[-1] > 16][:4]
    results = [np.full_like(case.expected(), 127) for case in cases]

    assert "late" not in explain(cases, results).sentence
