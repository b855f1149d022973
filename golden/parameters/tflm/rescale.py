"""Factors from the scale of an input to that of the output, above and below 0."""

from .multiplier import quantize_multiplier

__all__ = ["leaky_multipliers", "prelu_multipliers", "rescale_multiplier"]


def rescale_multiplier(x_scale, out_scale):
    """``quantize_multiplier`` of the scale of an input over that of the output.

    Source: tensorflow/lite/micro/kernels/quantize_common.cc; activations_common.cc.
    """
    return quantize_multiplier(x_scale / out_scale)


def leaky_multipliers(x_scale, alpha, out_scale):
    """``quantize_multiplier`` of an element from 0 on, and of one below 0 by the size of its slope.

    Source: tensorflow/lite/micro/kernels/leaky_relu_common.cc.
    """
    return (rescale_multiplier(x_scale, out_scale),
            quantize_multiplier(x_scale * abs(alpha) / out_scale))


def prelu_multipliers(x_scale, alpha_scale, out_scale):
    """``quantize_multiplier`` of an element from 0 on, and of the product of one below 0 with its
    slope.

    Source: tensorflow/lite/micro/kernels/prelu_common.cc.
    """
    return (rescale_multiplier(x_scale, out_scale),
            quantize_multiplier(x_scale * alpha_scale / out_scale))
