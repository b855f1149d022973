"""2-D convolution kernels."""

import numpy as np

from golden.fixed import matmul
from golden.kinds import Relu
from hdl.isa import RoundMode

from .arithmetic import align_bias, finish
from .layer import Conv2d, DepthwiseConv2d, Layout

__all__ = ["conv2d", "depthwise_conv2d", "run_conv2d", "run_depthwise_conv2d"]


def _windows(x, kernel, stride, pad):
    """Taps of every output of an image (C, H, W): shape (C, Kh, Kw, rows, columns).

    Taps on the padding are 0 and contribute nothing.
    """
    top, bottom, left, right = pad
    padded = np.pad(x, ((0, 0), (top, bottom), (left, right)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=(1, 2))
    return windows[:, ::stride[0], ::stride[1]].transpose(0, 3, 4, 1, 2)


def run_conv2d(layer, x):
    """Apply a ``Conv2d`` to the Tensor ``x``; see ``conv2d``."""
    layer.check(x)
    image, weights = x.data, layer.weights.data
    if layer.layout is Layout.HWC:
        image, weights = image.transpose(2, 0, 1), weights.transpose(0, 3, 1, 2)
    windows = _windows(image, layer.kernel, layer.stride, layer.pad)
    outputs, rows, cols = len(weights), *windows.shape[3:]
    sums = matmul(weights.reshape(outputs, -1), windows.reshape(-1, rows * cols))
    sums += align_bias(layer.bias, layer.bias_shift(x))[:, np.newaxis]
    sums = sums.reshape(outputs, rows, cols)
    return finish(layer, x, sums.transpose(1, 2, 0) if layer.layout is Layout.HWC else sums)


def run_depthwise_conv2d(layer, x):
    """Apply a ``DepthwiseConv2d`` to the Tensor ``x``; see ``depthwise_conv2d``."""
    layer.check(x)
    windows = _windows(x.data, layer.kernel, layer.stride, layer.pad)
    channels, rows, cols = x.shape[0], *windows.shape[3:]
    sums = matmul(layer.weights.data.reshape(channels, 1, -1),
                  windows.reshape(channels, -1, rows * cols))
    sums = sums.reshape(channels, rows, cols)
    sums += align_bias(layer.bias, layer.bias_shift(x))[:, np.newaxis, np.newaxis]
    return finish(layer, x, sums)


def conv2d(x, weights, bias, *, out_frac_bits, stride=(1, 1), pad=(0, 0, 0, 0), relu=Relu.NONE,
           layout=Layout.CHW, rounding=RoundMode.CONVERGENT):
    """2-D convolution, fx8, fx16 or fx8w16d.

    Parameters
    ----------
    x : Tensor, shape (C, H, W) for CHW, (H, W, C) for HWC
    weights, bias, out_frac_bits, stride, pad, relu, layout, rounding : see ``Conv2d``

    Returns a Result with an output of the layout and dtype of ``x``; ValueError or TypeError for a
    call that ``Conv2d.check`` refuses.
    Source: embARC MLI 1.1, kernels/convolution, ``mli_krn_conv2d_chw_*``, ``mli_krn_conv2d_hwc_*``.
    """
    return run_conv2d(Conv2d(weights, bias, out_frac_bits, stride, pad, relu, layout, rounding), x)


def depthwise_conv2d(x, weights, bias, *, out_frac_bits, stride=(1, 1), pad=(0, 0, 0, 0),
                     relu=Relu.NONE, rounding=RoundMode.CONVERGENT):
    """2-D convolution of every channel with a kernel of its own, fx8, fx16 or fx8w16d.

    Parameters
    ----------
    x : Tensor, shape (C, H, W)
    weights : Tensor, shape (C, 1, H, W)
    bias, out_frac_bits, stride, pad, relu, rounding : see ``Conv2d``

    Returns a Result with an output of the dtype of ``x``; ValueError or TypeError for a call that
    ``DepthwiseConv2d.check`` refuses.
    Source: embARC MLI 1.1, kernels/convolution, ``mli_krn_depthwise_conv2d_chw_*``.
    """
    layer = DepthwiseConv2d(weights, bias, out_frac_bits, stride, pad, relu, Layout.CHW, rounding)
    return run_depthwise_conv2d(layer, x)
