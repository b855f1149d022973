# SPDX-License-Identifier: Apache-2.0
"""Inputs for commands running networks, and the options naming the inputs."""

from argparse import ArgumentTypeError

from xymac.host.errors import InputError
from xymac.host.network.inference import each_input
from xymac.host.network.inputs.images import load_images
from xymac.host.network.inputs.pixels import parse_range
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.session import Session

__all__ = ["SEED", "add_example", "add_pixels", "read_example", "read_inputs"]

SEED = 1  #: Seed of the default random input.


def add_pixels(parser):
    """Add --pixels."""
    parser.add_argument("--pixels", metavar="LOW..HIGH", type=_range,
                        help="values of black and white pixels of image files, as in "
                             "--pixels=-1..1 (default: by scale and zero point of the input or of "
                             "its first QUANTIZE: 0..255, 0..1, -1..1 or -128..127)")


def add_example(parser):
    """Add --example."""
    parser.add_argument("--example", metavar="F",
                        help="input of main.c: the first input in a file or folder that "
                             "`xymac run` reads, as in `--c --example "
                             "host/examples/data/digits_pixels.npz` (default: a random one)")


def read_example(options, network):
    """The --example inputs and golden's outputs, two array lists."""
    inputs  = next(each_input(read_inputs(options.example, network, 1).data))
    outputs = Session(network).run(*inputs).outputs
    return inputs, [output.data for output in outputs]


def read_inputs(path, network, limit, pixels=None):
    """The first ``limit`` Images in ``path``, or a random image without a path.

    ``pixels`` is the PixelRange for image files, or None; InputError for a range without a path.
    """
    if pixels and not path:
        raise InputError("--pixels is for the pixels of --images, which is missing")
    images = load_images(path, network, pixels) if path else random_images(network, SEED)
    return images.first(limit)


def _range(text):
    try:
        return parse_range(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
