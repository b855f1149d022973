# SPDX-License-Identifier: Apache-2.0
"""Train the digits networks and write them quantised: ``python -m xymac.host.examples.digits``.

Data: the 1797 images with 8x8 pixels in scikit-learn's ``load_digits`` (UCI, optical recognition of
handwritten digits); every sixth image is a test image. Training uses numpy in double precision with
fixed seeds; only this script needs scikit-learn.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.console import Console

from xymac.golden.mli1 import (
    AvePool,
    Conv2d,
    DepthwiseConv2d,
    FullyConnected,
    MaxPool,
    Relu,
    Softmax,
    Tensor,
)
from xymac.host.errors import InputError
from xymac.host.files import make_folder, write_file
from xymac.host.files.arrays import save_arrays
from xymac.host.network.file import save_network
from xymac.host.network.inference import classify
from xymac.host.network.network import Images, Network, join_layers
from xymac.host.network.tflite import network_of
from xymac.host.tflite.writer import write_model

from .constants import DTYPES, TYPES
from .float_layers import FloatLinear, FloatPool, forward, quantise_layers
from .float_lstm import FloatLstm
from .mli2_digits import digits_sa8
from .scales import PIXEL, fill_channels, pixels_of
from .tflite_digits import digits_tflite
from .training import train
from .xs3_digits import digits_xs3

__all__ = ["RECIPES", "Digits", "Recipe", "load_digits", "main", "write"]

FOLDER          = Path(__file__).parent / "data"
INPUT_FRAC_BITS = 4  #: Pixels are 0 .. 16, so 16 is 1.0.
TEST_EVERY      = 6
SEED            = 8


@dataclass(frozen=True)
class Recipe:
    """Definition for networks sharing a training run.

    Parameters
    ----------
    layers : function from a random generator to the layers in double precision
    rate : float, learning rate
    shape : tuple of int, input shape
    files : dict from a network name to its type, a key of ``TYPES``, and its image file name
    tail : tuple of golden layers after the trained layers
    quantised : dict from a file name to its image file name and a function (trained layers, name,
        (scale, zero point) of a pixel) making its network
    """

    layers: Callable
    rate:   float
    shape:  tuple
    files:  dict
    tail:   tuple = ()
    quantised: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Digits:
    """Training images and test images, (count, 1, 8, 8), pixels 0 .. 16."""

    train: Images
    test:  Images


def _linear(rng, kind, *shape, **parameters):
    return FloatLinear(kind, rng.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape), **parameters)


def _cnn(rng):
    return [
        _linear(rng, Conv2d, 16, 1, 3, 3, pad=1, relu=Relu.GEN),
        _linear(rng, DepthwiseConv2d, 16, 1, 3, 3, stride=2, pad=1, relu=Relu.RELU6),
        _linear(rng, Conv2d, 32, 16, 1, 1, relu=Relu.GEN),
        _linear(rng, Conv2d, 32, 32, 3, 3, relu=Relu.GEN),
        _linear(rng, FullyConnected, 10, 32, 2, 2)]


def _pool(rng):
    return [
        _linear(rng, Conv2d, 16, 1, 3, 3, pad=1, relu=Relu.GEN),
        FloatPool(MaxPool, 2),
        _linear(rng, Conv2d, 24, 16, 3, 3, pad=1, relu=Relu.GEN),
        FloatPool(AvePool, 2),
        _linear(rng, FullyConnected, 10, 24, 2, 2)]


def _lstm(rng):
    return [FloatLstm(rng.normal(0, (8 + 32) ** -0.5, (4, 32, 8 + 32))),
            _linear(rng, FullyConnected, 10, 32, 1, 1)]


RECIPES = (
    Recipe(_cnn, 2e-3, (1, 8, 8), {"digits_cnn": ("fx8", "digits_images")}, quantised={
        "digits_cnn.tflite": ("digits_pixels", digits_tflite),
        "digits_sa8.npz":    ("digits_pixels", digits_sa8),
        "digits_xs3.npz":    ("digits_pixels4", digits_xs3)}),
    Recipe(_pool, 5e-3, (1, 8, 8), {"digits_pool": ("fx8", "digits_images")}, (Softmax(),)),
    Recipe(_lstm, 2e-2, (8, 8), {
        "digits_lstm_fx8":     ("fx8", "digits_rows8"),
        "digits_lstm_fx16":    ("fx16", "digits_rows16"),
        "digits_lstm_fx8w16d": ("fx8w16d", "digits_rows16")}, (Softmax(),)))


def load_digits():
    """scikit-learn's Digits."""
    from sklearn import datasets
    digits = datasets.load_digits()
    pixels = digits.images.astype(np.int8)[:, np.newaxis]
    labels = digits.target.astype(np.uint8)
    held   = np.arange(len(pixels)) % TEST_EVERY == 0
    return Digits(*(Images(pixels[part], labels[part]) for part in (~held, held)))


def _scale_images(images):
    return images.data / 2 ** INPUT_FRAC_BITS


def _train_layers(recipe, digits):
    """Trained ``recipe`` layers, after a final ``forward`` of the training images."""
    from threadpoolctl import threadpool_limits
    rng    = np.random.default_rng(SEED)
    layers = recipe.layers(rng)
    with threadpool_limits(1):  # The products are too small for two threads.
        train(layers, _scale_images(digits.train), digits.train.labels, recipe.rate, rng)
    forward(layers, _scale_images(digits.train))
    return layers


def write(recipe, digits, folder):
    """Train and write the ``recipe`` networks and their images to ``folder``.

    Returns the fraction of correct test answers: in double precision, and by type.
    """
    layers, test = _train_layers(recipe, digits), digits.test
    networks = [_network(name, recipe, kind, layers) for name, (kind, _) in recipe.files.items()]
    scores = forward(layers, _scale_images(test))
    right = {"double precision": np.argmax(scores, axis=1) == test.labels}
    for network, (kind, images) in zip(networks, recipe.files.values(), strict=True):
        data = test.data.reshape(-1, *network.input_shape).astype(network.dtype)
        right[kind] = classify(network, data).predictions == test.labels
        save_network(folder / f"{network.name}.npz", network)
        save_arrays(folder / f"{images}.npz", {"images": data, "labels": test.labels})
    right |= _write_quantised(recipe, layers, test, folder)
    return {kind: float(np.mean(flags)) for kind, flags in right.items()}


def _write_quantised(recipe, layers, test, folder):
    """Write the networks with scales and zero points; returns correct answer flags by file name."""
    right = {}
    for name, (images, make) in recipe.quantised.items():
        made    = make(layers, Path(name).stem, PIXEL)
        network = made if isinstance(made, Network) else network_of(made, Path(name).stem)
        data    = fill_channels(pixels_of(test.data), network.input_shape[-1])
        right[name] = classify(network, data.reshape(-1, *network.input_shape)
                               ).predictions == test.labels
        if made is network:
            save_network(folder / name, network)
        else:
            write_file(folder / name, write_model(made))
        save_arrays(folder / f"{images}.npz", {"images": data, "labels": test.labels})
    return right


def _network(name, recipe, kind, layers):
    """Network in type ``kind``; its ranges come from the last ``forward``."""
    bits, weight_bits = TYPES[kind]
    x = Tensor(np.zeros(recipe.shape, DTYPES[bits]), INPUT_FRAC_BITS)
    return join_layers(name, x, quantise_layers(layers, x, weight_bits) + recipe.tail)


def main(arguments=None):
    """Train all networks, write them with their images, and print how many answers are right."""
    parser = argparse.ArgumentParser(
        prog="python -m xymac.host.examples.digits",
        description="Train the digits networks and write them.")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, default=FOLDER,
                        help="where to write the files (default: host)")
    options = parser.parse_args(arguments)
    try:
        make_folder(options.output)
    except InputError as error:
        parser.error(str(error))
    digits, console = load_digits(), Console(emoji=False)
    for recipe in RECIPES:
        shares = write(recipe, digits, options.output)
        shown  = ", ".join(f"{share:.1%} in {kind}" for kind, share in shares.items())
        console.print(f"{', '.join(recipe.files)}: {len(digits.test.data)} test images, right: "
                      f"{shown}", soft_wrap=True)


if __name__ == "__main__":
    main()
