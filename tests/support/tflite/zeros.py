# SPDX-License-Identifier: Apache-2.0
"""Random networks of one operator with zero points, infinite scales, scales of 0, weights of 4
bits: what converters seldom write, and the library takes."""

from dataclasses import replace
from math import inf

from xymac.host.tflite.codes import TENSOR_TYPE

from .cases import CASES
from .states import STATES

__all__ = ["ZEROS"]


def _change(model, number, **fields):
    tensors = list(model.tensors)
    tensors[number] = replace(tensors[number], **fields)
    return replace(model, tensors=tuple(tensors))


def _zero(rng, count=1):
    return tuple(rng.integers(-40, 41, count).tolist())


def _sum_of(name):
    """A function of an operator with weights: every tensor has a zero point, one for all scales of
    the weights or as many, one scale is 0 now and then, weights have 4 bits now and then."""
    def make(rng):
        model   = CASES[name](rng)
        weights = model.tensors[1]
        count   = len(weights.scales)
        for number in (0, 3):
            model = _change(model, number, zero_points=_zero(rng))
        model  = _change(model, 1, zero_points=_zero(rng, int(rng.choice([1, count]))))
        counts = [1, count] + [0] * (name != "FULLY_CONNECTED")  # of a bias; none at all, too
        model  = _change(model, 2, zero_points=_zero(rng, int(rng.choice(counts))))
        if rng.integers(3) == 0 and count > 1:
            rare  = float(rng.choice([0.0, inf]))
            model = _change(model, 1, scales=(rare, *weights.scales[1:]))
        if rng.integers(3) == 0 and model.tensors[0].type == TENSOR_TYPE.INT8:
            model = _change(model, 1, type=TENSOR_TYPE.INT4, data=weights.data >> 4)
        scale = model.tensors[3].scales[0]
        return _change(model, 3, scales=(scale * 16,))
    return make


def _lstm(rng):
    """Zero points of all matrices, and of the memory, which does not count."""
    model = STATES["UNIDIRECTIONAL_SEQUENCE_LSTM"](rng)
    for number, tensor in enumerate(model.tensors):
        if tensor.name[0] in "WRc":
            model = _change(model, number, zero_points=_zero(rng), scales=(tensor.scales[0] / 4,)
                            if tensor.name != "c" else tensor.scales)
    return model


def _svdf(rng):
    """Zero points of both weights, which do not count, and of the state."""
    model = STATES["SVDF"](rng)
    for number in (1, 2, 4):
        model = _change(model, number, zero_points=_zero(rng))
    return _change(model, 5, scales=(model.tensors[5].scales[0] * 64,))


ZEROS = {name: _sum_of(name) for name in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")} | {
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm, "SVDF": _svdf}
