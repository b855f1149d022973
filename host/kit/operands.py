# SPDX-License-Identifier: Apache-2.0
"""Operands of a case for a device: plain numpy arrays and ints, in a fixed order.

``operands_of`` returns a dict; its names depend on operation and dialect:

``acc``            requantise: accumulators, int32, the channel last
``x``, ``z``       first and second input
``weights``        in the dialect's order. tflm and xs3: (outputs, rows, columns, inputs); mli-1:
                   (outputs, inputs, rows, columns); mli-2: (rows, columns, inputs, outputs).
                   Depthwise, tflm: (1, rows, columns, outputs); xs3: (rows, columns, channels).
                   fully_connected and accumulate: (outputs, inputs); fully_connected in mli-2 and
                   matmul: (inputs, outputs)
``bias``           a value per output; missing if the layer has none
``x_zero``, ``z_zero``, ``weights_zero``, ``out_zero``   zero points
``multiplier``, ``shift``   output scaling, by dialect:

    tflm           lists with an entry per output, or a single entry: a multiplier with 31
                   fractional bits, and a left shift. In int16 layers with weights and an int64 or
                   missing bias, the library rounds the multiplier to 16 bits and shifts once.
                   relu, sigmoid, tanh and softmax: numbers that scale the input less its zero
                   point; for softmax, less the largest element. The product of int16 sigmoid and
                   tanh has no fractional bits: it is rounded half up, to a 512th (sigmoid) or a
                   256th (tanh) of the distance between two entries of the library's table
    mli-2 sa8      lists with an entry per output; a right shift
    mli-1, mli-2 fx   ``shift`` alone, to the right
    xs3            in ``bso``

``radius``         int8 sigmoid and tanh, tflm: smallest magnitude whose output is the range's end
``least``          int8 softmax, tflm: lowest difference with an exponential
``left_shift``     add and sub, tflm: left shift of both inputs. ``x_multiplier``, ``x_shift``,
                   ``z_multiplier`` and ``z_shift`` then scale them; ``multiplier`` and ``shift``
                   scale the sum
``x_frac_bits``, ``x_scale``, ``x_scale_frac_bits``   mli-1 and mli-2 without weights: input format;
                   the same names with ``z_`` and ``out_``
``bias_shift``     left shift of the bias, mli-1 and mli-2 fx
``bso``            xs3: bias, shift1, scale, offset_scale, offset, shift2, a dict of arrays
``low``, ``high``  output limits
``stride``, ``dilation``, ``kernel``   (rows, columns)
``pad``            (top, bottom, left, right); padding elements are ``x_zero``
``before``, ``behind``, ``value``   pad: elements at either end of each dimension, and their value
``order``          transpose: the input dimension of each output dimension
``axis``           concatenate; its inputs are ``x``, ``z``, ``x2`` and so on
``begin``, ``size``, ``step``   slice: first element, count and step along each dimension
``weights_in``, ``weights_out``, ``state``, ``cell``, ``steps``   lstm, rnn, gru and svdf: layer
                   fields by their golden names, each with its ``_zero``, ``_frac_bits`` and
                   ``_scale``; tflm has ``multiplier`` and ``shift``, pair by pair
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden import tflm
from xymac.golden.mli2 import Affine
from xymac.golden.parameters.mli2.limits import relu_limits
from xymac.golden.parameters.mli2.linear import output_scaling
from xymac.golden.parameters.tflm.eltwise import sum_shift
from xymac.golden.parameters.tflm.exponent import sigmoid_argument, table_argument
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.parameters.tflm.ranges import activation_range
from xymac.golden.parameters.xs3 import bso_columns

from .accumulate import SUMMING
from .moved import formats_of, operands_of_layer

if TYPE_CHECKING:
    from xymac.host.kit.case import Case

__all__ = ["operands_of"]


def operands_of(case: Case) -> dict[str, Any]:
    """A Case's operands, a dict; see the module docstring."""
    operands = _operands_of(case)
    return _unsigned(operands, case.offset) if case.offset else operands


def _unsigned(operands, offset):
    """``operands`` with ``offset`` added to elements, zero points and output limits."""
    moved = {name: (operands[name].astype(np.int16) + offset).astype(np.uint8)
             for name in ("x", "z", "weights") if name in operands}
    moved |= {name: operands[name] + offset for name in ("x_zero", "z_zero", "out_zero", "low",
                                                         "high") if name in operands}
    return operands | moved | ({"weights_zero": offset} if "weights" in operands else {})


def _operands_of(case):
    if case.operation == "requantise":
        layer = case.layer
        return {"acc": case.inputs[0], "multiplier": list(layer.multiplier),
                "shift": list(layer.shift), "out_zero": layer.zero_point,
                "low": layer.low, "high": layer.high}
    if case.operation in SUMMING:
        return _sums(case)
    if case.operation == "network":
        return {name: np.asarray(data) for name, data
                in zip(case.layer.input_names, case.inputs, strict=True)}
    layer, x = case.layer, case.inputs[0]
    known    = operands_of_layer(layer, case.inputs)
    if known is not None:
        return known
    operands = {name: value.data for name, value in zip("xz", case.inputs, strict=False)}
    for name in ("weights", "bias"):
        if getattr(layer, name, None) is not None:
            operands[name] = getattr(layer, name).data
    operands |= _DIALECTS[case.dialect](layer, *case.inputs)
    return operands | _geometry(case, layer, x)


def _sums(case):
    layer = case.layer
    if case.operation == "matmul":
        return {"x": case.inputs[0], "weights": np.ascontiguousarray(layer.weights.T)}
    return {"x": case.inputs[0], "weights": layer.weights, "bias": layer.bias,
            "x_zero": layer.zero_point}


def _geometry(case, layer, x):
    """Window geometry."""
    geometry = {name: tuple(map(int, getattr(layer, name)))
                for name in ("stride", "dilation", "kernel", "pad") if hasattr(layer, name)}
    if hasattr(layer, "window"):
        geometry |= _window(layer, x)
    if hasattr(layer, "weights") and "kernel" in geometry:
        geometry["kernel"] = taps_of(case)
    if hasattr(layer, "pads"):
        geometry["pad"] = tuple(map(int, layer.pads(x.shape)))
    return geometry


def taps_of(case: Case) -> tuple[int, int]:
    """Kernel (rows, columns) of a Case with weights; dilation does not count."""
    layer, shape = case.layer, case.layer.weights.shape
    if case.dialect == "mli-2":
        return shape[:2]
    if case.dialect == "mli-1":
        return layer.kernel
    if case.dialect == "xs3" and case.operation == "depthwise_conv2d":
        return shape[:2]
    return shape[1:3]


def _window(layer, x):
    """A lib_nn kernel's stride and padding."""
    window, pads = layer.window, []
    for axis in range(2):
        last = window.first(axis, window.out[axis] - 1) + layer.kernel[axis]
        pads += [max(-window.start[axis], 0), max(last - x.shape[axis], 0)]
    return {"stride": window.stride, "pad": tuple(pads), "start": window.start}


def _tflm(layer, x, *others):
    operands = {"x_zero": x.quantisation.zero_point}
    if others:
        operands["z_zero"] = others[0].quantisation.zero_point
    if hasattr(layer, "weights"):
        multipliers, exponents = zip(*layer.factors(x), strict=True)
        operands |= {"multiplier": list(multipliers), "shift": list(exponents)}
    if isinstance(layer, tflm.Add | tflm.Sub):
        pairs = zip(("x_", "z_", ""), layer.factors(x, *others), strict=True)
        operands |= {f"{name}{part}": number for name, pair in pairs
                     for part, number in zip(("multiplier", "shift"), pair, strict=True)}
        operands["left_shift"] = sum_shift(x.bits)
    elif isinstance(layer, tflm.Mul):
        operands |= dict(zip(("multiplier", "shift"), layer.factor(x, *others), strict=True))
    elif isinstance(layer, tflm.Relu | tflm.Logistic | tflm.Tanh | tflm.Softmax):
        operands |= _argument(layer, x)
    out: Any = layer.output_like(x, *others)
    operands["out_zero"] = out.quantisation.zero_point
    activation = Activation.RELU if isinstance(layer, tflm.Relu) else getattr(
        layer, "activation", None)
    if activation is not None:
        low, high = activation_range(activation, out.quantisation.scale,
                                     out.quantisation.zero_point, out.bits)
        operands |= {"low": int(low), "high": int(high)}
    return operands


def _argument(layer, x):
    """Input scaling of a layer without weights, and ``least`` or ``radius``, a dict."""
    scale = x.quantisation.scale
    if isinstance(layer, tflm.Relu):
        numbers, last = layer.factors(x)[0], ""
    elif isinstance(layer, tflm.Softmax):
        numbers, last = layer.factor(x), "least"
    elif x.bits == 8:
        numbers, last = sigmoid_argument(scale), "radius"
    else:
        factor, right = table_argument(scale, layer.doubles)
        numbers, last = (factor, -right), ""
    return dict(zip(("multiplier", "shift", last), map(int, numbers), strict=False))


def _mli1(layer, x, *others):
    if not hasattr(layer, "weights"):
        return formats_of(layer, x, *others)
    low, high = layer.limits(x)
    return {"bias_shift": layer.bias_shift(x), "shift": layer.out_shift(x), "low": int(low),
            "high": int(high)}


def _mli2(layer, x, *others):
    if not hasattr(layer, "weights"):
        return formats_of(layer, x, *others)
    low, high = relu_limits(layer.relu, layer.out, x.bits)
    operands  = {"low": int(low), "high": int(high)}
    if isinstance(layer.out, Affine):
        scaling = output_scaling(x, layer.weights, layer.out, layer.build)
        return operands | {
            "x_zero": x.format.zero_point, "weights_zero": layer.weights.format.zero_points[0],
            "out_zero": layer.out.zero_point, "multiplier": scaling.multiplier.tolist(),
            "shift": scaling.shift.tolist()}
    frac_bits = x.format.frac_bits + layer.weights.format.frac_bits
    return operands | {"bias_shift": frac_bits - layer.bias.format.frac_bits,
                       "shift": frac_bits - layer.out.frac_bits}


def _xs3(layer, x, *others):
    if not hasattr(layer, "bso"):
        return {}
    outputs = layer.output_shape(x.shape)[-1]
    return {"bso": dict(vars(bso_columns(layer.bso.data, outputs))), "low": layer.low,
            "high": 127 if getattr(layer, "out_bits", 8) == 8 else 32767,
            "x_zero": getattr(layer, "zero_point", 0)}


_DIALECTS = {"tflm": _tflm, "mli-1": _mli1, "mli-2": _mli2, "xs3": _xs3}
