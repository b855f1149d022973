"""Factors from sums of products to the output."""

from functools import lru_cache

from .multiplier import quantize_multiplier

__all__ = ["output_multipliers"]


@lru_cache(maxsize=1024)  # a layer asks several times, and so does every tile of it
def output_multipliers(x_scale, weight_scales, out_scale):
    """``quantize_multiplier`` of every weight scale times that of the input over the output's.

    A tuple of pairs, one for the whole tensor or one an output. All is computed in double.
    Source: tensorflow/lite/kernels/kernel_util.cc, ``PopulateConvolutionQuantizationParams``.
    """
    return tuple(quantize_multiplier(x_scale * scale / out_scale) for scale in weight_scales)
