# SPDX-License-Identifier: Apache-2.0
"""Faults of some channels, lanes, products or sides only: the report says which, and the fault."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from xymac.golden.tflm import Padding

from .devices import limited, requantise, rounded, saturated, scaled, sentence_of


def _weighted(case, elements=None, products=None, bias=None):
    """A layer with weights of tflm int8; functions change elements less their zero point (batch,
    row, column, products), products (... outputs, products) and the bias.
    """
    given   = case.operands
    weights = given["weights"].astype(int)
    if case.operation == "fully_connected":
        taken = given["x"].astype(int).reshape(-1, 1, 1, weights.shape[1])
    else:
        pad   = given["pad"]
        image = np.pad(given["x"].astype(int), ((0, 0), pad[:2], pad[2:], (0, 0)),
                       constant_values=given["x_zero"])
        taken = _windows(image, given, case.shape)
    taken = taken - given["x_zero"]
    taken = taken if elements is None else elements(taken, given)
    count = case.shape[-1]
    if case.operation == "depthwise_conv2d":
        taken = taken.reshape(*taken.shape[:3], -1, given["x"].shape[-1])
        taken = np.repeat(taken, count // taken.shape[-1], axis=-1)
        terms = np.moveaxis(taken * weights.reshape(-1, count), -1, -2)
    else:
        terms = taken[..., np.newaxis, :] * weights.reshape(count, -1)
    sums = (terms.sum(axis=-1) if products is None else products(terms)).reshape(case.shape)
    held = np.asarray(given.get("bias", np.zeros(count, int)), int)
    sums = sums + (held if bias is None else bias(held))
    values = scaled(sums, given["multiplier"], given["shift"]) + given["out_zero"]
    return saturated(limited(values, given), case)


def _windows(image, given, shape):
    span = [(size - 1) * apart + 1 for size, apart in zip(given["kernel"], given["dilation"],
                                                          strict=True)]
    view = np.lib.stride_tricks.sliding_window_view(image, span, axis=(1, 2))
    view = view[:, ::given["stride"][0], ::given["stride"][1], :, ::given["dilation"][0],
                ::given["dilation"][1]]
    return np.moveaxis(view, 3, -1).reshape(*shape[:3], -1)


def _lane(taken, given):
    """Every fourth input channel keeps its zero point."""
    count = given["x"].shape[-1]
    return taken + given["x_zero"] * (np.arange(taken.shape[-1]) % count % 4 == 3)


def _without(change):
    """Products with 0 at places of a function from their number."""
    def products(terms):
        terms = terms.copy()
        terms[..., change(terms.shape[-1])] = 0
        return terms.sum(axis=-1)
    return products


def _pairs(terms):
    """Every two products in an adder of 16 bits that saturates."""
    odd   = np.zeros((*terms.shape[:-1], terms.shape[-1] % 2), int)
    terms = np.concatenate([terms, odd], axis=-1)
    return np.clip(terms[..., ::2] + terms[..., 1::2], -32768, 32767).sum(axis=-1)


def _lanes(terms):
    """Eight sums of 16 bits side by side."""
    return sum(np.clip(terms[..., lane::8].sum(axis=-1), -32768, 32767) for lane in range(8))


def _bias(is_in, change):
    def bias(held):
        return np.where(is_in(np.arange(len(held)), len(held)), change(held), held)
    return bias


def _right(case):
    """Padding at the right is 0."""
    x, pad = case.inputs[0], case.operands["pad"]
    data   = np.pad(x.data, ((0, 0), pad[:2], pad[2:], (0, 0)),
                    constant_values=case.operands["x_zero"])
    data[:, :, data.shape[2] - pad[3]:] = 0
    return replace(case, layer=replace(case.layer, padding=Padding.VALID),
                   inputs=(replace(x, data=data),)).expected()


DENSE, CONV, DEPTH = "fully_connected", "conv2d", "depthwise_conv2d"


@pytest.mark.parametrize(("operation", "options", "sentence"), [
    (DENSE, {"bias": _bias(lambda place, count: place >= 32, lambda held: np.roll(held, 1))},
     "lie in channels from 32 on; there every channel has the bias of the one before; "),
    (DENSE, {"bias": _bias(lambda place, count: place == count - 1, np.zeros_like)},
     "lie in the last channel; there the bias is missing; "),
    (CONV, {"bias": _bias(lambda place, count: place % 2 == 1, np.zeros_like)},
     "lie in channels 1 modulo 2; there the bias is missing; "),
    (CONV, {"elements": _lane},
     "the input zero point is ignored in input channels 3 modulo 4, padding included; "),
    (DEPTH, {"elements": _lane},
     "lie in input channels 3 modulo 4; there the input zero point is ignored, padding included; "),
    (DENSE, {"products": _without(lambda count: np.s_[15::16])},
     "the last of every 16 products is missing; "),
    (DENSE, {"products": _without(lambda count: np.s_[:256 if count > 256 else 0])},
     "the first 256 products of a longer sum are missing; "),
    (CONV, {"products": _pairs}, "partial sums of 2 products saturate at 16 bits; "),
    (DENSE, {"products": _lanes},
     "partial sums, each of every 8th product, saturate at 16 bits; ")])
def test_faults_of_some_products_or_channels_are_named(operation, options, sentence):
    assert sentence in sentence_of(partial(_weighted, **options), operation)


def test_padding_at_one_side_is_named():
    assert "cases padding at the right is 0; " in sentence_of(_right, "conv2d")


def _of_sign(x, shift):
    return np.where(x < 0, x >> shift, rounded(x, shift))


def test_a_rounding_of_one_sign_is_named():
    assert sentence_of(partial(requantise, last=_of_sign), "requantise").startswith(
        "all wrong outputs lie where the sum is below 0; there the device cuts the second shift "
        "without rounding; ")


def _last_group(case):
    """The last, partial group of 4 channels has the shift of channel 0."""
    def change(values):
        count = case.shape[-1]
        whole = count // 4 * 4
        return values if len(values) == 1 else tuple(
            values[0 if place >= whole else place] for place in range(count))
    return replace(case, layer=replace(case.layer, shift=change(case.layer.shift))).expected()


def test_a_fault_of_a_partial_group_is_named():
    assert sentence_of(_last_group, "requantise").startswith(
        "all wrong outputs lie in channels after the last multiple of 4; there all channels have "
        "the shift of channel 0; ")
