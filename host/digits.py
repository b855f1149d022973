"""Train the digits network of the demo and write it in fixed point: ``python -m host.digits``.

Data: the 1797 images of 8x8 pixels of scikit-learn's ``load_digits`` (UCI, optical recognition of
handwritten digits); every sixth is kept for the test. Training is numpy in double precision, with
fixed seeds; only this script needs scikit-learn.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.console import Console

from golden import Conv2d, DepthwiseConv2d, FullyConnected, Relu

from .inference import classify
from .network import Network
from .network_file import save_arrays, save_network
from .quantise import choose_frac_bits, quantise

__all__ = ["main"]

FOLDER           = Path(__file__).parent
INPUT_FRAC_BITS  = 4    #: Pixels are 0 .. 16, so 16 is 1.0.
TEST_EVERY       = 6
EPOCHS           = 60
BATCH            = 50
RATE             = 2e-3
DECAY            = 1e-4  #: Weight decay, a step.
MOMENTS          = (0.9, 0.999)
SEED             = 8


@dataclass
class FloatLayer:
    """A layer in double precision. Weights (N, C, Kh, Kw); a dense layer is Kh = Kw = image."""

    kind:    type
    weights: np.ndarray
    stride:  int = 1
    pad:     int = 0
    relu:    Relu = Relu.NONE
    bias:    np.ndarray = field(init=False)

    def __post_init__(self):
        self.bias = np.zeros(len(self.weights))
        self.moments = [[np.zeros_like(p), np.zeros_like(p)] for p in (self.weights, self.bias)]

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
        """Output for a batch ``x`` (B, C, H, W); keeps what ``backward`` needs."""
        self.padded = np.pad(x, ((0, 0), (0, 0), (self.pad, self.pad), (self.pad, self.pad)))
        windows = np.lib.stride_tricks.sliding_window_view(
            self.padded, self.weights.shape[2:], axis=(2, 3))[:, :, ::self.stride, ::self.stride]
        self.windows = np.ascontiguousarray(windows.transpose(0, 1, 4, 5, 2, 3))
        self.linear = self._contract("output", windows=self.windows, kernel=self._kernel)
        self.linear += self.bias[:, np.newaxis, np.newaxis]
        low, high = {Relu.NONE: (None, None), Relu.GEN: (0, None), Relu.RELU6: (0, 6)}[self.relu]
        self.output = np.clip(self.linear, low, high)
        return self.output

    def backward(self, gradient):
        """Gradient of the input; sets ``gradients`` of weights and bias."""
        gradient = gradient * (self.output == self.linear)
        by_weight = self._contract("kernel", windows=self.windows, output=gradient)
        self.gradients = [by_weight.reshape(self.weights.shape), gradient.sum(axis=(0, 2, 3))]
        by_input = np.zeros_like(self.padded)
        taps = self._contract("windows", output=gradient, kernel=self._kernel)
        rows, cols = gradient.shape[2:]
        for k, l in np.ndindex(self.weights.shape[2:]):
            by_input[:, :, k:k + rows * self.stride:self.stride,
                     l:l + cols * self.stride:self.stride] += taps[:, :, k, l]
        return by_input[:, :, self.pad:by_input.shape[2] - self.pad,
                        self.pad:by_input.shape[3] - self.pad]

    def step(self, rate, count):
        """Move weights and bias along ``gradients`` (Adam, with ``DECAY``)."""
        for value, gradient, moments in zip(
                (self.weights, self.bias), self.gradients, self.moments, strict=True):
            for index, power in enumerate((1, 2)):
                moments[index] += (1 - MOMENTS[index]) * (gradient ** power - moments[index])
            mean, square = (moment / (1 - beta ** count)
                            for moment, beta in zip(moments, MOMENTS, strict=True))
            value -= rate * (mean / (np.sqrt(square) + 1e-8) + DECAY * value)


def _network(rng):
    def layer(kind, *shape, **parameters):
        scale = np.sqrt(2 / np.prod(shape[1:]))
        return FloatLayer(kind, rng.normal(0, scale, shape), **parameters)
    return [
        layer(Conv2d, 16, 1, 3, 3, pad=1, relu=Relu.GEN),
        layer(DepthwiseConv2d, 16, 1, 3, 3, stride=2, pad=1, relu=Relu.RELU6),
        layer(Conv2d, 32, 16, 1, 1, relu=Relu.GEN),
        layer(Conv2d, 32, 32, 3, 3, relu=Relu.GEN),
        layer(FullyConnected, 10, 32, 2, 2),
    ]


def _forward(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x[:, :, 0, 0]


def _shifted(images, rng):
    rows, cols = rng.integers(-1, 2, 2)
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return padded[:, :, 1 + rows:9 + rows, 1 + cols:9 + cols]


def train(images, labels):
    """Layers trained on ``images`` (count, 1, 8, 8) in 0 .. 1 and ``labels`` (count,)."""
    rng = np.random.default_rng(SEED)
    layers, count = _network(rng), 0
    for epoch in range(EPOCHS):
        rate = RATE * (1 + np.cos(np.pi * epoch / EPOCHS)) / 2
        for batch in np.array_split(rng.permutation(len(images)), len(images) // BATCH):
            scores = _forward(layers, _shifted(images[batch], rng))
            likely = np.exp(scores - scores.max(axis=1, keepdims=True))
            likely /= likely.sum(axis=1, keepdims=True)
            gradient = (likely - np.eye(10)[labels[batch]]) / len(batch)
            gradient = gradient[:, :, np.newaxis, np.newaxis]
            for layer in reversed(layers):
                gradient = layer.backward(gradient)
            count += 1
            for layer in layers:
                layer.step(rate, count)
    return layers


def to_fixed_point(layers, images):
    """Network in fx8; the ranges of the activations are those over ``images`` in 0 .. 1."""
    _forward(layers, images)
    frac_bits, kernels = INPUT_FRAC_BITS, []
    for layer in layers:
        weights = quantise(layer.weights)
        bias = quantise(layer.bias, limit=frac_bits + weights.frac_bits)
        out_frac_bits = choose_frac_bits(layer.output)
        if layer.kind is FullyConnected:
            flat = type(weights)(weights.data.reshape(len(weights.data), -1), weights.frac_bits)
            kernels.append(FullyConnected(flat, bias, out_frac_bits))
        else:
            kernels.append(layer.kind(weights, bias, out_frac_bits, relu=layer.relu,
                                      stride=(layer.stride,) * 2, pad=(layer.pad,) * 4))
        frac_bits = out_frac_bits
    return Network("digits", (1, 8, 8), np.dtype(np.int8), INPUT_FRAC_BITS, tuple(kernels))


def _classify(network, image):
    [label] = classify(network, [image]).predictions
    return label


def main():
    """Train, quantise, measure and write ``digits_cnn.npz`` and ``digits_images.npz``."""
    from sklearn.datasets import load_digits
    console = Console()
    digits = load_digits()
    pixels = digits.images.astype(np.int8)[:, np.newaxis]
    held = np.arange(len(pixels)) % TEST_EVERY == 0
    scaled = pixels / 2 ** INPUT_FRAC_BITS
    layers = train(scaled[~held], digits.target[~held])
    network = to_fixed_point(layers, scaled[~held])
    expected = digits.target[held]
    real = np.argmax(_forward(layers, scaled[held]), axis=1)
    fixed = np.array([_classify(network, image) for image in pixels[held]])
    save_network(FOLDER / "digits_cnn.npz", network)
    save_arrays(FOLDER / "digits_images.npz",
                {"images": pixels[held], "labels": expected.astype(np.uint8)})
    console.print(f"{len(expected)} test images: {np.mean(real == expected):.1%} right in double "
                  f"precision, {np.mean(fixed == expected):.1%} in fixed point")


if __name__ == "__main__":
    main()
