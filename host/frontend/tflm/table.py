# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators on bytes as 256-element tables."""

from functools import partial
from math import erfc, exp, floor, inf, log, pi, sqrt
from math import tanh as tangent

import numpy as np

from xymac.golden.parameters.tflm.exponent import sigmoid_argument
from xymac.golden.parameters.tflm.hard_swish import hard_swish_multipliers
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.parameters.tflm.ranges import activation_range
from xymac.golden.tflm import (
    Elu,
    Exp,
    Gelu,
    HardSwish,
    LeakyRelu,
    Log,
    Logistic,
    PlainTable,
    Quantize,
    Relu,
    Relu0To1,
    ReluN1To1,
    Rsqrt,
    Sqrt,
    Tanh,
)
from xymac.host.frontend.tflm.functions.curves import inverse_root, sigmoid, tanh
from xymac.host.frontend.tflm.functions.elementwise import peak_of, slope_of_leaky
from xymac.host.frontend.tflm.functions.slopes import find_larger
from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import divide, rescale, wraps
from xymac.host.ir.table import ByteTable

__all__ = ["FORMS"]

_LOW, _HIGH = container_clip(8)
_TOP        = (1 << 15) - 1
_ROOT_SHIFT = 20  #: Left shift of an inverse root.
_STEPS      = 1 << 10  #: Steps of a scale beyond any byte.
_EXPONENT   = 700  #: Its exponential is beyond float32, and not beyond float64.
_LEFT_MAX   = 31  #: Whatever is not 0 saturates 16 bits long before.


def _clip(value, low=_LOW, high=_HIGH):
    return min(max(value, low), high)


def _of_bytes(x, function):
    """A function's outputs for elements minus their zero point, from the lowest element on."""
    zero = x.quantisation.zero_point
    return tuple(function(value - zero) for value in range(_LOW, _HIGH + 1))


def _curve(layer, x, function):
    """A function's outputs for Q4.27 numbers, constant at its limits beyond a radius."""
    multiplier, exponent, radius = sigmoid_argument(x.quantisation.scale)

    def output(value):
        if abs(value) >= radius:
            return _LOW if value <= -radius else _HIGH
        return _clip(function(rescale(value, multiplier, exponent)))

    return _of_bytes(x, output)


def outputs_of_logistic(layer, x):
    """LOGISTIC outputs: the upper 8 bits of a Q0.31 number."""
    return _curve(layer, x, lambda value: divide(sigmoid(value), 23) + _LOW)


def outputs_of_tanh(layer, x):
    """TANH outputs: the same with a sign."""
    return _curve(layer, x, lambda value: divide(tanh(value), 24))


def outputs_of_hard_swish(layer, x):
    """HARD_SWISH outputs: an element times a line clipped on both sides.

    Source: tensorflow/lite/kernels/internal/reference/hard_swish.h, ``HardSwish``.
    """
    (factor, places), (slope, exponent) = hard_swish_multipliers(x.quantisation.scale,
                                                                 layer.out.scale)

    def output(value):
        shifted = value << 7
        product = _high_mul(shifted, factor) * _line(shifted, slope, exponent)
        cut     = abs(product) >> 15
        return _clip(_divide_short(cut if product >= 0 else -cut, -places) + layer.out.zero_point)

    return _of_bytes(x, output)


def _high_mul(a, b):
    return a * b + (1 << 14) >> 15


def _line(value, slope, exponent):
    """Scaled relu6, ``relu6(x + 3) / 6``, from 0 to 2**15."""
    left = min(max(exponent, 0), _LEFT_MAX)
    line = _high_mul(_clip(value << max(left - 1, 0), ~_TOP, _TOP), slope)
    if left:
        line = _clip(line << 1, ~_TOP, _TOP)
    return _divide_short(line, max(-exponent, 0)) + (1 << 15) >> 1


def _divide_short(value, shift):
    """``divide`` for 16 bits: for shifts from 16 on, the library's mask turns every remainder into
    1.
    """
    if shift < 16:
        return divide(value, shift)
    return -1 if value < 0 else 1


def outputs_of_leaky_relu(layer, x):
    """LEAKY_RELU outputs, or None where a pass makes them without a table."""
    slope, zero = slope_of_leaky(layer, x), layer.out.zero_point
    limits = _LOW - zero, _HIGH - zero
    if find_larger(slope, x.quantisation.zero_point, limits) is not None:
        return None
    return _of_bytes(x, lambda value: _clip(_wrap(int(slope.apply(value)) + zero)))


def _outputs_of_wrapped(x, factor, zero, limits):
    """Outputs in another scale, or None where a pass makes them without a table."""
    if not wraps(peak_of(x), factor[1]):
        return None
    return _of_bytes(x, lambda value: _clip(_wrap(rescale(value, *factor) + zero), *limits))


def _wrap(value):
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def outputs_of_quantize(layer, x):
    """QUANTIZE outputs to bytes whose factor wraps, or None."""
    if layer.output_like(x).bits != 8:
        return None
    return _outputs_of_wrapped(x, layer.factor(x), layer.out.zero_point, (_LOW, _HIGH))


def outputs_of_relu(layer, x):
    """RELU outputs whose factor wraps, or None."""
    limits = activation_range(Activation.RELU, layer.out.scale, layer.out.zero_point, 8)
    return _outputs_of_wrapped(x, layer.factors(x)[0], layer.out.zero_point, limits)


def outputs_of_limited(layer, x):
    """RELU_0_TO_1 and RELU_N1_TO_1 outputs."""
    [factor], limits = layer.factors(x), layer.limits()
    zero = layer.out.zero_point
    return _of_bytes(x, lambda value: _clip(_wrap(rescale(value, *factor) + zero), *limits))


def outputs_of_elu(layer, x):
    """ELU outputs, in float32."""
    scale, zero = np.float32(x.quantisation.scale), layer.out.zero_point
    inverse     = np.float32(1) / np.float32(layer.out.scale)

    def output(value):
        real = scale * np.float32(value)
        if real < 0:
            real = np.float32(exp(float(real))) - np.float32(1)
        steps = float(real * inverse)
        return _clip(floor(abs(steps) + 0.5) * (-1 if steps < 0 else 1) + zero)

    return _of_bytes(x, output)


def outputs_of_rsqrt(layer, x):
    """RSQRT outputs; below the zero point, where it is undefined, the lowest output."""
    factor = layer.factor(x)

    def output(value):
        if value <= 0:
            return _LOW if value else _HIGH
        multiplier, exponent = inverse_root(value)
        root = rescale(1, multiplier, exponent + _ROOT_SHIFT)
        return _clip(_wrap(rescale(root, *factor) + layer.out.zero_point))

    return _of_bytes(x, output)


def _of_reals(layer, x, function):
    """Outputs of a function of a float32 number, which gives infinity for what saturates."""
    scale   = np.float32(x.quantisation.scale)
    inverse = np.float32(1) / np.float32(layer.out.scale)

    def output(value):
        with np.errstate(over="ignore"):
            steps = float(np.float32(function(scale * np.float32(value))) * inverse)
        near = floor(min(abs(steps), _STEPS) + 0.5)
        return _clip((-near if steps < 0 else near) + layer.out.zero_point)

    return _of_bytes(x, output)


def outputs_of_exp(layer, x):
    """EXP outputs."""
    return _of_reals(layer, x, lambda real: exp(min(float(real), _EXPONENT)))


def outputs_of_log(layer, x):
    """LOG outputs."""
    return _of_reals(layer, x, lambda real: log(float(real)) if real > 0 else -inf)


def outputs_of_gelu(layer, x):
    """GELU outputs by either formula."""
    half = np.float32(0.5)

    def exact(real):
        return half * real * np.float32(erfc(float(real * np.float32(-sqrt(0.5)))))

    def near(real):
        cube = np.float32(0.044715) * real * real * real
        return half * real * (np.float32(1) + np.float32(
            tangent(float(np.float32(sqrt(2 / pi)) * (real + cube)))))

    return _of_reals(layer, x, near if layer.approximate else exact)


def outputs_of_sqrt(layer, x):
    """SQRT outputs; below the zero point, where it is undefined, the lowest output."""
    scale, step = np.float32(x.quantisation.scale), np.float32(layer.out.scale)

    def output(value):
        if value < 0:
            return _LOW
        root = np.float32(sqrt(float(scale * np.float32(value))))
        return _clip(floor(float(root / step)) + layer.out.zero_point)

    return _of_bytes(x, output)


def form_of(outputs_of, layer, x):
    """A layer's ``ByteTable``, or None where the layer is done otherwise."""
    outputs = outputs_of(layer, x) if x.bits == 8 else None
    return None if outputs is None else ByteTable(outputs)


_OUTPUTS = {
    Logistic: outputs_of_logistic, Tanh: outputs_of_tanh, HardSwish: outputs_of_hard_swish,
    LeakyRelu: outputs_of_leaky_relu, Quantize: outputs_of_quantize, Relu: outputs_of_relu,
    Relu0To1: outputs_of_limited, ReluN1To1: outputs_of_limited,
    Elu: outputs_of_elu, Exp: outputs_of_exp, Log: outputs_of_log, Gelu: outputs_of_gelu,
    Rsqrt: outputs_of_rsqrt, Sqrt: outputs_of_sqrt, PlainTable: lambda layer, x: layer.outputs}
FORMS = {layer: partial(form_of, outputs_of) for layer, outputs_of in _OUTPUTS.items()}
