# SPDX-License-Identifier: Apache-2.0
"""Stimuli with accumulators up to the library's limit: equal signs, large biases, returning sums.

Cases with small sums cannot show a narrow accumulator. In operations with sums every seventh case
takes a direction from ``WAYS``: operands and biases grow until partial sums and final sums have the
chosen magnitude. The output scale then brings the sums into the output range, which makes a lost
bit visible.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.kit.libraries import has_sums, sums_of
from xymac.host.kit.operands import operands_of

from .reach_cells import reach_cell
from .scaled import biased, has_output_last, scaled

if TYPE_CHECKING:
    from xymac.host.kit.case import Case
    from xymac.host.kit.device.adapter import Supports
    from xymac.host.kit.stimuli.draw import Draw
    from xymac.host.kit.sums import Sums

__all__ = ["EVERY", "TELLING", "WAYS", "draw_large", "draw_way", "limit_of", "products_of_way",
           "reach"]

#: Directions of the running sum: products and bias in a direction, products out and back, the bias
#: alone, and the products alone.
WAYS  = ("up", "down", "up and back", "down and back", "bias up", "bias down", "far up",
         "far down")
EVERY = 7  #: Period of the cases with a direction.

#: Quantities with large sizes, and the largest size, by operation.
_LARGE   = {**dict.fromkeys(("conv2d",), (("outputs", "height", "channels", "width"), 1025)),
            **dict.fromkeys(("depthwise_conv2d", "average_pool", "max_pool"),
                            (("channels", "height", "width"), 1025)),
            **dict.fromkeys(("accumulate", "matmul"), (("outputs", "height"), 1025)),
            "fully_connected": (("outputs", "channels"), 1025), "requantise": (("channels",), 257),
            **dict.fromkeys(("add", "sub", "mul", "relu", "sigmoid", "tanh", "softmax"),
                            (("channels", "height"), 1025)),
            **dict.fromkeys(("lstm", "rnn", "gru", "svdf"), (("outputs", "channels"), 65))}
#: Operations with a large size in whose cases all constants and products show.
TELLING  = ("conv2d", "depthwise_conv2d", "fully_connected", "average_pool", "max_pool",
            "requantise")
_LARGE_EVERY = 8  #: Period of the cases with a large size.
_CELLS   = ("lstm", "rnn", "gru", "svdf")
_SUMMING = ("conv2d", "depthwise_conv2d", "fully_connected", "average_pool", *_CELLS)
#: Products per sum for slow kernels, and for pools with a limited window in the library.
_SLOW    = {("xs3", "depthwise_conv2d"): 1 << 10}
_POOLS   = {("xs3", "int8"): 1 << 10, ("mli-1", "fx8"): 1 << 9, ("mli-2", "fx8"): 1 << 9,
            ("mli-2", "sa8"): 1 << 12}
_PAIRS   = {"add": 1, "sub": -1}  #: Sign of the second input.
_RARE    = 4        #: Period of the "far" cases with the most products;
_NEARER  = 1 << 13  #: largest number in the others.
_SHORT   = (256, 24, 257, 400, 256, 96, 255)  #: Products per sum, unless it goes "far".
#: Products that fill the accumulator, by type, and for other types.
_FAR: dict[str, int] = dict.fromkeys(("fx16", "fx8w16d", "fx16_fx8_fx8"), 1 << 9)
_MOST    = 1 << 17
_PLACES  = 64             #: Largest number of examined outputs.
_LEAST   = 15             #: Magnitude of the smallest large bias, bits.
_LARGEST = 39             #: Magnitude of the largest sum in a 64-bit accumulator, bits;
_SHORT_BITS = 31          #: with 8-bit biases in mli-1, and of any bias in mli-2.
_ROOM    = 16             #: Output steps beside the zero point that suffice to show a magnitude.
_SMALL   = 1 << 12        #: Largest bias of sums that go "far" or "back".
_FILL    = 0.97           #: Largest sum relative to the limit.


def draw_way(draw: Draw, support: Supports, number: int) -> str:
    """The direction of case ``number``; "" for none."""
    if number % EVERY != EVERY - 1:
        return ""
    if support.operation in _PAIRS and support.dialect == "tflm":
        return draw.pick("sums go", WAYS[:2])
    return draw.pick("sums go", WAYS) if support.operation in _SUMMING else ""


def draw_large(support: Supports, number: int) -> tuple[str, int]:
    """The quantity of case ``number`` with a large size, "" for none, and the largest such size."""
    names, most = _LARGE.get(support.operation, ((), 0))
    if number % _LARGE_EVERY != _LARGE_EVERY - 1 or number % EVERY == EVERY - 1 or not names:
        return "", 0
    return names[number // _LARGE_EVERY % len(names)], most


def products_of_way(draw: Draw, support: Supports) -> int:
    """Products per sum for the Draw's direction, an int."""
    if draw.way.startswith("far"):
        far  = _FAR.get(support.type, _MOST)
        kind = support.dialect, support.operation
        far  = _SLOW.get(kind, far) if support.operation != "average_pool" else (
            _POOLS.get((support.dialect, support.type), far))
        times = draw.hits["sums go"].get(draw.way, 0)
        return far if times % _RARE == 0 else min(far, _NEARER)
    return _SHORT[0] if draw.way.startswith("bias") else (
        _SHORT[sum(draw.hits["sums go"].get(way, 0) for way in WAYS[:4]) % len(_SHORT)])


def reach(draw: Draw, case: Case) -> Case:
    """The Case with sums in the Draw's direction; the same Case without a direction."""
    if draw.way and case.operation in _CELLS:
        return reach_cell(draw, case)
    if not draw.way or not has_sums(case):
        return case
    sums  = sums_of(case, np.zeros(1, int))
    sign  = _direction(draw.way, sums)
    if case.operation in _PAIRS:
        return _fill_pair(draw, case, sign)
    limit = limit_of(case, sums)
    if not draw.way.startswith("bias"):
        case = _fill(draw, case, sign, limit, sums.elements.shape[0])
    if not hasattr(case.layer, "weights"):
        return case
    return _fit(draw, _lift(draw, case, sign, limit))


def limit_of(case: Case, sums: Sums) -> int:
    """Magnitude of the library accumulator's largest sum, bits, up to 39."""
    if case.dialect == "mli-1" and getattr(getattr(case.layer, "bias", None), "bits", 0) == 8:
        return _SHORT_BITS
    return min(sums.narrowing.acc_bits - 1, _LARGEST)


def _look(case):
    """Sums of evenly spread outputs of a Case, the first and the last included."""
    size = int(np.prod(case.shape))
    return sums_of(case, np.unique(np.linspace(0, size - 1, min(size, _PLACES)).astype(int)))


def _direction(way, sums):
    """1 or -1: the direction's sign, reversed if the output range has no room on that side."""
    rooms = {1: int((sums.high - sums.zero).max()), -1: int((sums.zero - sums.low).max())}
    sign  = -1 if "down" in way else 1
    return -sign if rooms[sign] < min(_ROOM, rooms[-sign]) else sign


def _ends(draw, quantity, dtype, zero):
    """Lowest and highest element less the zero point."""
    limits = np.iinfo(dtype)
    lowest = limits.min + (quantity == "weights")  # some libraries exclude the lowest weight
    return [end - zero for end in draw.ends(quantity, lowest, limits.max)]


def _fill(draw, case, sign, limit, taps):
    """The Case with products of sign ``sign``; for "back" the last weights have the other sign."""
    operands = operands_of(case)
    x, zero  = case.inputs[0], operands.get("x_zero", 0)
    if "weights" not in operands:
        end = draw.ends("input", *_range(x.data.dtype))[sign > 0]
        return _with_input(case, draw, end, 0, min(1.0, (1 << limit) / max(abs(end) * taps, 1)))
    layer  = case.layer
    offset = operands.get("weights_zero", 0)
    pairs  = [(end, factor) for end in _ends(draw, "input", x.data.dtype, zero)
              for factor in _ends(draw, "weights", layer.weights.data.dtype, offset)]
    end, factor = max(pairs, key=lambda pair: sign * pair[0] * pair[1])
    size = max(abs(end * factor), 1) * taps
    fill = _FILL if draw.way.startswith("far") else _FILL / 2  # leaves room for a bias
    case = _with_input(case, draw, end, zero, min(1.0, fill * (1 << limit) / size))
    return replace(case, layer=replace(layer, weights=replace(
        layer.weights, data=_weights(draw, case, factor, offset))))


def _fill_pair(draw, case, sign):
    """The Case with the largest tensor sums for its zero points, and an output range for them.

    The same Case if the device's limits exclude the zero points.
    """
    zeros, inputs = [], []
    limits = _range(case.inputs[0].data.dtype)
    for way, quantity, x in zip((sign, sign * _PAIRS[case.operation]),
                                ("input_zero", "second_zero"), case.inputs, strict=True):
        low, high = draw.ends("input", *limits)
        zeros.append((quantity, 0 if x.bits == 16 else low if way > 0 else high))
        near = draw.integers(*((high - 9, high) if way > 0 else (low, low + 9)), x.shape)
        inputs.append(replace(x, data=near.astype(x.data.dtype), quantisation=replace(
            case.inputs[0].quantisation, zero_points=(zeros[-1][1],))))
    zeros.append(("output_zero", zeros[0][1]))
    if not all(draw.allows(*pair) for pair in zeros):
        return case
    out = replace(case.inputs[0].quantisation, zero_points=(zeros[-1][1],),
                  scales=(2 * case.inputs[0].quantisation.scale,))
    return replace(case, inputs=tuple(inputs), layer=replace(case.layer, out=out))


def _range(dtype):
    limits = np.iinfo(dtype)
    return limits.min, limits.max


def _with_input(case, draw, end, zero, share):
    """The Case with input elements, less the zero point, near ``share * end``."""
    x    = case.inputs[0]
    data = zero + np.rint(end * share * draw.rng.uniform(0.85, 1.0, x.shape))
    return replace(case, inputs=(replace(x, data=data.astype(x.data.dtype)), *case.inputs[1:]))


def _weights(draw, case, factor, zero):
    """Weights near ``factor`` plus the zero point.

    For "back" the weights in the second half of a sum have the opposite sign.
    """
    old  = case.layer.weights.data
    data = factor * draw.rng.uniform(0.9, 1.0, old.shape)
    if "back" in draw.way:
        count = old.shape[-1] if has_output_last(case) else old.shape[0]
        rows  = data.reshape(-1, count).T if has_output_last(case) else data.reshape(count, -1)
        rows[:, rows.shape[1] // 2:] *= -1  # changes data too
    low, high = draw.ends("weights", *_range(old.dtype))
    return np.clip(zero + np.rint(data), max(low, _range(old.dtype)[0] + 1), high).astype(old.dtype)


def _lift(draw, case, sign, limit):
    """The Case with biases up to ``limit`` bits, with a different magnitude in each output."""
    bias = getattr(case.layer, "bso", None) or case.layer.bias
    if bias is None or not draw.allows("bias", "other"):
        return case
    outputs, total, room = _channels(case)
    if "far" in draw.way or "back" in draw.way:
        return biased(case, draw.integers(-_SMALL, _SMALL, outputs))
    whole = _FILL * (1 << limit) - room - np.abs(total)
    limit = min(limit, _SHORT_BITS) if case.dialect == "mli-2" else limit
    bits  = np.linspace(_LEAST, limit, outputs) + draw.rng.uniform(-0.5, 0.5, outputs)
    bits  = np.minimum(np.rint(bits), limit) if outputs > 1 else np.full(1, limit)
    sizes = 2.0 ** bits * draw.rng.uniform(0.5, 1.0, outputs)
    sizes = np.minimum(sizes, np.minimum(whole, _FILL * (1 << limit)))
    return biased(case, (sign * np.maximum(sizes, 0)).astype(np.int64))


def _channels(case):
    """(output channels, total, room): per channel, the sum of products with the largest magnitude,
    and the largest sum of magnitudes.
    """
    sums    = _look(case)
    layer   = case.layer
    outputs = layer.weights.shape[-1] if has_output_last(case) else layer.weights.shape[0]
    first   = getattr(getattr(layer, "layout", None), "name", "") == "CHW" and len(case.shape) > 1
    size    = int(np.prod(case.shape))
    channel = sums.index // (size // outputs) if first else sums.index % outputs
    total, room = np.zeros(outputs, np.int64), np.zeros(outputs, np.int64)
    order = np.argsort(np.abs(sums.total))
    total[channel[order]] = sums.total[order]
    np.maximum.at(room, channel, sums.reach)
    return outputs, total, room


def _fit(draw, case):
    """The Case with its largest sums inside the output range, by another output scale."""
    sums   = _look(case)
    finals = sums.total + sums.bias
    index  = int(np.argmax(np.abs(finals)))
    final  = int(finals[index])
    room   = int(sums.high[index] - sums.zero[index] if final > 0
                 else sums.zero[index] - sums.low[index])
    if abs(final) < 2 or room < 2:
        return case
    return scaled(case, abs(final), max(room * draw.rng.uniform(0.5, 0.95), 1.0), draw.rng)
