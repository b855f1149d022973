# SPDX-License-Identifier: Apache-2.0
"""The smaller CIFAR-10 example network from embARC MLI.

Its data file ``example_cifar10_caffe.npz`` holds quantised constants in 8 and 16 bits, 20 labelled
images, and floating-point layer outputs for a single image. Source: embARC MLI 1.1,
examples/example_cifar10_caffe, cifar10_constants.h, cifar10_model_chw.c.
"""

from pathlib import Path

import numpy as np

from xymac.golden.mli1 import (
    AvePool,
    Conv2d,
    FullyConnected,
    MaxPool,
    Permute,
    Relu,
    Softmax,
    Tensor,
)
from xymac.host.files.arrays import load_arrays
from xymac.host.network.network import Images, join_layers

from .constants import DTYPES, TYPES, constants

__all__ = ["REFERENCE_IMAGE", "cifar10", "cifar10_images", "cifar10_references"]

REFERENCE_IMAGE = 12  #: Image number of the references.

_INPUT_FRAC_BITS = 7
_INPUT_SHAPE     = (32, 32, 3)
_ZERO            = 128        #: Pixel value that the network reads as 0.
_CHW             = (2, 0, 1)  #: Dimension order of an image (H, W, C).
_POOL            = {"kernel": (3, 3), "stride": (2, 2)}
_POOL_PAD        = (0, 1, 0, 1)


def cifar10(folder, kind):
    """Network classifying images (32, 32, 3).

    Parameters
    ----------
    folder : path; ValueError without the data file
    kind : str, a key of ``TYPES``
    """
    operands = _operands(_arrays(folder), *TYPES[kind])
    layers   = {
        "permute": Permute(_CHW), "conv1": _conv(operands["conv1"]),
        "pool1": MaxPool(**_POOL, pad=_POOL_PAD), "conv2": _conv(operands["conv2"]),
        "pool2": AvePool(**_POOL, pad=_POOL_PAD), "conv3": _conv(operands["conv3"]),
        "pool3": AvePool(**_POOL, pad=_POOL_PAD), "ip1": FullyConnected(*operands["ip1"]),
        "prob": Softmax()}
    x = Tensor.zeros(_INPUT_SHAPE, TYPES[kind][0], _INPUT_FRAC_BITS)
    return join_layers(f"cifar10_{kind}", x, tuple(layers.values()), names=tuple(layers))


def cifar10_images(folder, kind):
    """Images (20, 32, 32, 3) for ``cifar10(folder, kind)``, with labels."""
    arrays = _arrays(folder)
    pixels = arrays["idx_small_test_base_tests"] - _ZERO
    return Images(pixels.astype(DTYPES[TYPES[kind][0]]),
                  arrays["idx_small_test_base_labels"].astype(np.uint8))


def cifar10_references(folder):
    """Floating-point output for every layer except permute on image ``REFERENCE_IMAGE``, a dict."""
    prefix = "idx_ir_idx_12_chw_small_ir_"
    return {name.removeprefix(prefix): array for name, array in _arrays(folder).items()
            if name.startswith(prefix) and name != f"{prefix}data"}


def _arrays(folder):
    return load_arrays(Path(folder) / "example_cifar10_caffe.npz")


def _operands(arrays, bits, weight_bits):
    """The weighted layers' weights, bias and fractional output bits, by name.

    With 16 bits the first output has an additional integer bit.
    """
    layers = {"conv1": ("L1_conv", (32, 3, 5, 5), (-1, 0), 3 if bits == 8 else 4),
              "conv2": ("L2_conv", (16, 32, 5, 5), (-1, -1), 5),
              "conv3": ("L3_conv", (32, 16, 5, 5), (-1, -2), 5),
              "ip1":   ("L4_fc", (10, 512), (-1, -2), 5)}
    return {name: (*constants(arrays, key, shape, shape[:1], weight_bits, integer_bits),
                   bits - 1 - out)
            for name, (key, shape, integer_bits, out) in layers.items()}


def _conv(operands):
    return Conv2d(*operands, pad=(2,) * 4, relu=Relu.GEN)
