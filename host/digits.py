"""Train the digits network of the demo and write it in fixed point: ``python -m host.digits``.

Data: the 1797 images of 8x8 pixels of scikit-learn's ``load_digits`` (UCI, optical recognition of
handwritten digits); every sixth is kept for the test. Training is numpy in double precision, with
fixed seeds; only this script needs scikit-learn.
"""

from pathlib import Path

import numpy as np
from rich.console import Console

from golden import Conv2d, DepthwiseConv2d, FullyConnected, Relu, Tensor

from .float_layers import FloatLinear, forward, quantise_layers
from .inference import classify
from .network import Network
from .network_file import save_arrays, save_network
from .training import train

__all__ = ["main"]

FOLDER          = Path(__file__).parent
INPUT_FRAC_BITS = 4  #: Pixels are 0 .. 16, so 16 is 1.0.
TEST_EVERY      = 6
RATE            = 2e-3
SEED            = 8


def _layers(rng):
    def layer(kind, *shape, **parameters):
        scale = np.sqrt(2 / np.prod(shape[1:]))
        return FloatLinear(kind, rng.normal(0, scale, shape), **parameters)
    return [
        layer(Conv2d, 16, 1, 3, 3, pad=1, relu=Relu.GEN),
        layer(DepthwiseConv2d, 16, 1, 3, 3, stride=2, pad=1, relu=Relu.RELU6),
        layer(Conv2d, 32, 16, 1, 1, relu=Relu.GEN),
        layer(Conv2d, 32, 32, 3, 3, relu=Relu.GEN),
        layer(FullyConnected, 10, 32, 2, 2),
    ]


def main():
    """Train, quantise, measure and write ``digits_cnn.npz`` and ``digits_images.npz``."""
    from sklearn.datasets import load_digits
    console = Console()
    digits = load_digits()
    pixels = digits.images.astype(np.int8)[:, np.newaxis]
    held = np.arange(len(pixels)) % TEST_EVERY == 0
    scaled = pixels / 2 ** INPUT_FRAC_BITS
    rng = np.random.default_rng(SEED)
    layers = _layers(rng)
    train(layers, scaled[~held], digits.target[~held], RATE, rng)
    forward(layers, scaled[~held])
    x = Tensor(np.zeros((1, 8, 8), np.int8), INPUT_FRAC_BITS)
    network = Network("digits", x.shape, x.data.dtype, INPUT_FRAC_BITS,
                      quantise_layers(layers, x, 8))
    expected = digits.target[held]
    real = np.argmax(forward(layers, scaled[held]), axis=1)
    fixed = classify(network, pixels[held]).predictions
    save_network(FOLDER / "digits_cnn.npz", network)
    save_arrays(FOLDER / "digits_images.npz",
                {"images": pixels[held], "labels": expected.astype(np.uint8)})
    console.print(f"{len(expected)} test images: {np.mean(real == expected):.1%} right in double "
                  f"precision, {np.mean(fixed == expected):.1%} in fixed point")


if __name__ == "__main__":
    main()
