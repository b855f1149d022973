# SPDX-License-Identifier: Apache-2.0
"""Trainable layers in double precision, and their conversion to golden layers.

A batch is always (B, C, H, W). Call a layer's ``forward``, then ``backward`` for the same batch,
then read ``gradients`` for its ``parameters``.
"""

from dataclasses import dataclass, field

import numpy as np

from xymac.golden.mli1 import AvePool, DepthwiseConv2d, FullyConnected, Relu, Tensor

from .quantise import choose_frac_bits, quantise

__all__ = ["FloatLinear", "FloatPool", "forward", "quantise_layers"]

_LIMITS = {Relu.NONE: (None, None), Relu.GEN: (0, None), Relu.RELU6: (0, 6)}


def forward(layers, x):
    """The last layer's output for a batch ``x``, a row per image."""
    for layer in layers:
        x = layer.forward(x)
    return x.reshape(len(x), -1)


def quantise_layers(layers, x, weight_bits):
    """Golden layers for Tensors like ``x``; output formats fit the last ``forward`` ranges."""
    results = []
    for layer in layers:
        results.append(layer.golden(x, weight_bits))
        x = results[-1].output_like(x)
    return tuple(results)


@dataclass
class FloatLinear:
    """Convolution. Weights (N, C, Kh, Kw); for a fully connected layer Kh and Kw are the image
    size."""

    kind:    type
    weights: np.ndarray
    stride:  int = 1
    pad:     int = 0
    relu:    Relu = Relu.NONE
    bias:    np.ndarray = field(init=False)

    def __post_init__(self):
        self.bias = np.zeros(len(self.weights))

    @property
    def parameters(self):
        """Trainable arrays."""
        return self.weights, self.bias

    @property
    def _kernel(self):
        return self.weights[:, 0] if self.kind is DepthwiseConv2d else self.weights

    @property
    def _indices(self):
        # b image, c input, n output channel, k and l tap, h and w position; windows, kernel, output
        depthwise = self.kind is DepthwiseConv2d
        return ("bcklhw", "ckl", "bchw") if depthwise else ("bcklhw", "nckl", "bnhw")

    def _contract(self, result, **operands):
        names = dict(zip(("windows", "kernel", "output"), self._indices, strict=True))
        path = f"{','.join(names[name] for name in operands)}->{names[result]}"
        return np.einsum(path, *operands.values(), optimize=True)

    def forward(self, x):
        """Output for a batch ``x``."""
        self.padded = np.pad(x, ((0, 0), (0, 0), (self.pad, self.pad), (self.pad, self.pad)))
        windows = np.lib.stride_tricks.sliding_window_view(
            self.padded, self.weights.shape[2:], axis=(2, 3))[:, :, ::self.stride, ::self.stride]
        self.windows = np.ascontiguousarray(windows.transpose(0, 1, 4, 5, 2, 3))
        self.linear = self._contract("output", windows=self.windows, kernel=self._kernel)
        self.linear += self.bias[:, np.newaxis, np.newaxis]
        self.output = np.clip(self.linear, *_LIMITS[self.relu])
        return self.output

    def backward(self, gradient):
        """Input gradient from the output gradient."""
        gradient = gradient * (self.output == self.linear)
        by_weight = self._contract("kernel", windows=self.windows, output=gradient)
        self.gradients = by_weight.reshape(self.weights.shape), gradient.sum(axis=(0, 2, 3))
        by_input = np.zeros_like(self.padded)
        taps = self._contract("windows", output=gradient, kernel=self._kernel)
        rows, cols = gradient.shape[2:]
        for k, l in np.ndindex(self.weights.shape[2:]):
            by_input[:, :, k:k + rows * self.stride:self.stride,
                     l:l + cols * self.stride:self.stride] += taps[:, :, k, l]
        return by_input[:, :, self.pad:by_input.shape[2] - self.pad,
                        self.pad:by_input.shape[3] - self.pad]

    def golden(self, x, weight_bits):
        """Golden layer for Tensors like ``x``; its output format fits the ``forward`` range."""
        weights = quantise(self.weights, bits=weight_bits)
        bias = quantise(self.bias, bits=weight_bits, limit=x.frac_bits + weights.frac_bits)
        out_frac_bits = choose_frac_bits(self.output, bits=x.bits)
        if self.kind is FullyConnected:
            flat = Tensor(weights.data.reshape(len(weights.data), -1), weights.frac_bits)
            return FullyConnected(flat, bias, out_frac_bits)
        return self.kind(weights, bias, out_frac_bits, relu=self.relu, stride=(self.stride,) * 2,
                         pad=(self.pad,) * 4)


class FloatPool:
    """Maximum or mean over adjacent windows without overlap.

    Parameters
    ----------
    kind : MaxPool or AvePool
    size : int, window rows and columns; the input size is a multiple
    """

    parameters = gradients = ()

    def __init__(self, kind, size):
        self.kind, self.size = kind, size

    def forward(self, x):
        """Output for a batch ``x``; several largest elements have equal shares in it."""
        windows = np.stack([x[taps] for taps in self._taps()])
        if self.kind is AvePool:
            self.shares = np.full_like(windows, self.size ** -2)
        else:
            largest = windows == windows.max(axis=0)
            self.shares = largest / largest.sum(axis=0)
        return (windows * self.shares).sum(axis=0)

    def backward(self, gradient):
        """Input gradient from the output gradient."""
        count, channels, rows, cols = gradient.shape
        by_input = np.empty((count, channels, rows * self.size, cols * self.size))
        for taps, share in zip(self._taps(), self.shares, strict=True):
            by_input[taps] = share * gradient
        return by_input

    def _taps(self):
        """Index of an element of every window in a batch, for each window position in turn."""
        for k, l in np.ndindex(self.size, self.size):
            yield ..., slice(k, None, self.size), slice(l, None, self.size)

    def golden(self, x, weight_bits):
        """The golden layer, whatever the Tensor ``x``."""
        return self.kind((self.size,) * 2, (self.size,) * 2)
