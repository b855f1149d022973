# SPDX-License-Identifier: Apache-2.0
"""Inputs for commands running networks, and the options naming the inputs."""

from argparse import ArgumentTypeError

from xymac.host.network.inputs.images import load_images
from xymac.host.network.inputs.pixels import parse_range
from xymac.host.network.inputs.samples import random_images

__all__ = ["SEED", "add_pixels", "read_inputs"]

SEED = 1  #: Seed of the default random input.


def add_pixels(parser):
    """Add --pixels."""
    parser.add_argument("--pixels", metavar="LOW..HIGH", type=_range,
                        help="values of black and white pixels of image files, as in "
                             "--pixels=-1..1 (default: by scale and zero point of the input or of "
                             "its first QUANTIZE: 0..255, 0..1, -1..1 or -128..127)")


def read_inputs(path, network, limit, pixels=None):
    """The first ``limit`` Images in ``path``, or a random image without a path.

    ``pixels`` is the PixelRange for image files, or None.
    """
    images = load_images(path, network, pixels) if path else random_images(network, SEED)
    return images.first(limit)


def _range(text):
    try:
        return parse_range(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
