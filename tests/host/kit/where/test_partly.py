# SPDX-License-Identifier: Apache-2.0
"""Faults of some channels, lanes, products or sides only: the report says which, and the fault."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from xymac.golden.tflm import Padding

from .devices import limited, pool, requantise, rounded, saturated, scaled, sentence_of


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


def _stuck(is_in, change):
    """A device that changes some right outputs, at places of a function of their indices."""
    def device(case):
        output = case.expected()
        places = is_in(case, np.indices(output.shape))
        output[places] = change(output)[places]
        return output
    return device


@pytest.mark.parametrize(("operation", "device", "sentence"), [
    ("tanh", _stuck(lambda case, index: case.inputs[0].data == 5, lambda y: y ^ 4),
     "lie where the input is 5; there bit 2 of the output is inverted; "),
    ("add", _stuck(lambda case, index: case.inputs[1].data == -128, lambda y: 0 * y),
     "lie where the second input is -128; there the output is 0; "),
    ("conv2d", _stuck(lambda case, index: np.arange(index[0].size).reshape(
        index[0].shape) >= index[0].size // 16 * 16, lambda y: 0 * y),
     "lie in elements after the last multiple of 16 of a result; there the output is 0; "),
    ("fully_connected", _stuck(lambda case, index: index[-1] % 16 == 15,
                               lambda y: np.roll(y, 1)),
     "lie in channels 15 modulo 16; there the output is the one before it; "),
    ("pad", _stuck(lambda case, index: index[-1] >= case.shape[-1] - case.operands["behind"][-1],
                   lambda y: 0 * y),
     "lie in padding behind the last dimension; there the output is 0; "),
    ("concatenate", _stuck(lambda case, index: index[case.operands["axis"]]
                           >= case.inputs[0].shape[case.operands["axis"]], lambda y: 0 * y),
     "lie off the elements of the first input; there the output is 0; "),
    ("accumulate", _stuck(lambda case, index: index[-1] >= case.shape[-1] // 8 * 8,
                          lambda y: 0 * y),
     "lie in channels after the last multiple of 8; there the output is 0; "),
    ("softmax", _stuck(lambda case, index: case.expected() == 127, lambda y: np.full_like(y, -128)),
     "all wrong outputs lie where 127, the highest output, is expected; ")])
def test_what_an_output_is_instead_is_said_with_its_place(operation, device, sentence):
    assert sentence in sentence_of(device, operation)


def _scaled_inputs(order):
    """A sum whose inputs have each other's scales."""
    def device(case):
        given = case.operands
        parts = [scaled(given[name].astype(int) - given[f"{name}_zero"] << given["left_shift"],
                        given[f"{other}_multiplier"], given[f"{other}_shift"])
                 for name, other in zip("xz", order, strict=True)]
        total = scaled(sum(parts), given["multiplier"], given["shift"])
        return saturated(limited(total + given["out_zero"], given), case)
    return device


@pytest.mark.parametrize(("order", "sentence"), [
    ("xx", "both inputs have the multiplier and shift of the first one; "),
    ("zx", "the inputs have each other's multiplier and shift; ")])
def test_scales_of_the_other_input_are_named(order, sentence):
    assert sentence in sentence_of(_scaled_inputs(order), "add")


@pytest.mark.parametrize(("kind", "device", "sentence"), [
    (("max_pool",), lambda case: np.maximum.accumulate(case.expected(), axis=2),
     "the maximum goes on along a row, from window to window; "),
    (("max_pool",), lambda case: np.maximum(case.expected(), case.expected()[
        :, :, np.maximum(np.arange(case.shape[2]) - 1, 0)]),
     "every maximum has the window before it in its row, too; "),
    (("requantise",), lambda case: replace(case, layer=replace(case.layer, shift=tuple(
        min(shift, 1) for shift in case.layer.shift))).expected(),
     "left shifts of more than 1 bit are shifts of 1; "),
    (("requantise",), lambda case: replace(case, inputs=(np.where(
        case.inputs[0] == -1 << 31, 0, case.inputs[0]),)).expected(),
     "the lowest element of the input counts as 0; ")],
    ids=lambda value: value if isinstance(value, str) else "")
def test_faults_of_a_whole_operation_are_named(kind, device, sentence):
    assert sentence in sentence_of(device, *kind)


def _weights_of_uint8(base):
    """Weights less a zero point, which is 128, by input channel."""
    def device(case):
        given = case.operands
        count = case.shape[-1]
        zeros = base(np.arange(given["weights"].shape[-1]))
        sums  = ((given["x"].astype(int) - given["x_zero"]).reshape(-1, len(zeros))
                 @ (given["weights"].astype(int) - zeros).T).reshape(case.shape)
        sums  = sums + given.get("bias", np.zeros(count, int))
        return saturated(limited(scaled(sums, given["multiplier"], given["shift"])
                                 + given["out_zero"], given), case)
    return device


@pytest.mark.parametrize(("base", "sentence"), [
    (lambda place: np.where(place % 4 == 3, 0, 128),
     "the zero point of the weights is ignored in input channels 3 modulo 4; "),
    (lambda place: 0 * place + 127, "the zero point of the weights is 1 lower; ")])
def test_zero_points_of_weights_of_uint8_are_named(base, sentence):
    assert sentence in sentence_of(_weights_of_uint8(base), "fully_connected", "tflm", "uint8")


def _whole_at_the_right(case):
    """A mean that divides by the size of the kernel at the right edge only."""
    def count(number, given):
        first = np.arange(case.shape[2]) * given["stride"][1] - given["pad"][2]
        over  = first + given["kernel"][1] > given["x"].shape[2]
        return np.where(over[:, np.newaxis], np.prod(given["kernel"]), number)
    return pool(case, count=count)


def test_a_rule_of_windows_at_an_edge_is_named():
    assert sentence_of(_whole_at_the_right, "average_pool").startswith(
        "all wrong outputs lie in windows over the right edge of the image; there the device pads "
        "with 0 instead of the zero point, counts padding in the mean; ")


def _mirrored(case):
    """A table of the upper half of a curve."""
    x     = case.inputs[0]
    zero  = case.operands["x_zero"]
    data  = x.data.astype(int)
    other = replace(case, inputs=(replace(x, data=np.clip(2 * zero - data, -128, 127).astype(
        np.int8)),)).expected().astype(int)
    return np.where(data < zero, np.clip(-other, -128, 127), case.expected()).astype(np.int8)


@pytest.mark.parametrize("operation", ["tanh", "sigmoid"])
def test_half_a_curve_is_named(operation):
    assert "below the zero point of the input the curve is the mirrored one; " in sentence_of(
        _mirrored, operation)
