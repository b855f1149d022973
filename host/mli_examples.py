"""The example networks of embARC MLI: ``python -m host.mli_examples FOLDER -o DIR``.

FOLDER holds ``example_cifar10_caffe.npz``: quantised weights of the library's CIFAR-10 example in 8
and 16 bits, 20 images with labels, and what every layer gives for one of them in floating point.
The command writes network and image files for ``xymac run``.
Source: embARC MLI 1.1, examples/example_cifar10_caffe, cifar10_constants.h, cifar10_model_chw.c.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from golden import (
    AvePool,
    Concat,
    Conv2d,
    FullyConnected,
    MaxPool,
    Permute,
    Relu,
    Softmax,
    Subtensor,
    Tensor,
)

from .graph import previous
from .network import Images, Network
from .network_file import load_arrays, save_arrays, save_network

__all__ = ["REFERENCE_IMAGE", "TYPES", "cifar10", "cifar10_images", "cifar10_references", "main",
           "signal_to_noise"]

TYPES           = {"fx8": (8, 8), "fx16": (16, 16), "fx8w16d": (16, 8)}  #: Bits of data, weights.
REFERENCE_IMAGE = 12  #: Number of the image that the references belong to.

_FILE            = "example_cifar10_caffe.npz"
_DTYPES          = {8: np.dtype(np.int8), 16: np.dtype(np.int16)}
_INPUT_FRAC_BITS = 7
_INPUT_SHAPE     = (32, 32, 3)
_ZERO            = 128  #: Pixel that is 0 for the network.
_POOL            = {"kernel": (3, 3), "stride": (2, 2)}
_POOL_PAD        = (0, 1, 0, 1)
_CHW             = (2, 0, 1)  #: Order of the dimensions of an image (H, W, C).
_HALVES          = ("upper", "lower")


@dataclass(frozen=True)
class _Linear:
    """A layer with weights: its key in the file, their shape, and integer bits without the sign.

    Negative integer bits are leading zeros after the binary point.
    """

    key:         str
    shape:       tuple
    weights_int: int
    bias_int:    int
    out_int:     int

    def operands(self, arrays, bits, weight_bits):
        """Weights, bias and fractional bits of the output."""
        def constants(name, shape, integer_bits):
            data = arrays[f"w{weight_bits}_{self.key}_{name}_buf"].reshape(shape)
            return Tensor(data, weight_bits - 1 - integer_bits)

        return (constants("wt", self.shape, self.weights_int),
                constants("bias", self.shape[:1], self.bias_int), bits - 1 - self.out_int)


def _layers(data_bits):
    """The layers with weights. The first output has a bit more before the point in 16 bits."""
    return {"conv1": _Linear("L1_conv", (32, 3, 5, 5), -1, 0, 3 if data_bits == 8 else 4),
            "conv2": _Linear("L2_conv", (16, 32, 5, 5), -1, -1, 5),
            "conv3": _Linear("L3_conv", (32, 16, 5, 5), -1, -2, 5),
            "ip1":   _Linear("L4_fc", (10, 512), -1, -2, 5)}


def cifar10(folder, kind, *, halves=False):
    """Network that classifies images (32, 32, 3).

    Parameters
    ----------
    folder : path; ValueError if it does not hold the example
    kind : str, a key of ``TYPES``
    halves : bool, the first convolution and its pooling in an upper and a lower half, with the same
        results: in 16 bits the whole output of that convolution fills X of 64 KiB
    """
    arrays, bits = _arrays(folder), TYPES[kind]
    operands = {name: layer.operands(arrays, *bits) for name, layer in _layers(bits[0]).items()}
    first    = _first_halves if halves else _first
    steps    = first(operands["conv1"]) | {
        "conv2": _conv(operands["conv2"]), "pool2": AvePool(**_POOL, pad=_POOL_PAD),
        "conv3": _conv(operands["conv3"]), "pool3": AvePool(**_POOL, pad=_POOL_PAD),
        "ip1":   FullyConnected(*operands["ip1"]), "prob": Softmax()}
    names   = tuple(steps)
    sources = [previous(index) for index in range(len(names))]
    if halves:
        sources[names.index("lower")] = (0,)
        sources[names.index("pool1")] = tuple(1 + names.index(f"pool1_{half}") for half in _HALVES)
    return Network(f"cifar10_{kind}", _INPUT_SHAPE, _DTYPES[bits[0]], _INPUT_FRAC_BITS,
                   tuple(steps.values()), tuple(sources), names)


def _conv(operands, top=2, bottom=2):
    return Conv2d(*operands, pad=(top, bottom, 2, 2), relu=Relu.GEN)


def _first(operands):
    """The first layers by name."""
    return {"permute": Permute(_CHW), "conv1": _conv(operands),
            "pool1": MaxPool(**_POOL, pad=_POOL_PAD)}


def _first_halves(operands):
    """The first layers by name, in halves.

    The upper 8 rows of the pooling need 17 of the convolution, 0 to 16, and these 19 of the image;
    the lower 8 need 16, 16 to 31, and these 18 of the image, from row 14 on.
    """
    steps = {}
    for half, start, rows, pad, pool_pad in (("upper", 0, 19, (2, 0), (0, 0, 0, 1)),
                                             ("lower", 14, 18, (0, 2), _POOL_PAD)):
        steps |= {half: Subtensor((start,), rows), f"permute_{half}": Permute(_CHW),
                  f"conv1_{half}": _conv(operands, *pad),
                  f"pool1_{half}": MaxPool(**_POOL, pad=pool_pad)}
    return steps | {"pool1": Concat(1)}


def cifar10_images(folder, kind):
    """Images (20, 32, 32, 3) for ``cifar10(folder, kind)``, with labels."""
    arrays = _arrays(folder)
    pixels = arrays["idx_small_test_base_tests"] - _ZERO
    return Images(pixels.astype(_DTYPES[TYPES[kind][0]]),
                  arrays["idx_small_test_base_labels"].astype(np.uint8))


def cifar10_references(folder):
    """Output of every layer but permute for image ``REFERENCE_IMAGE``: a dict of float arrays."""
    prefix = "idx_ir_idx_12_chw_small_ir_"
    return {name.removeprefix(prefix): array for name, array in _arrays(folder).items()
            if name.startswith(prefix) and name != f"{prefix}data"}


def signal_to_noise(output, reference):
    """Length of the vector ``reference`` over that of its difference to the Tensor ``output``.

    Source: embARC MLI 1.1, examples/auxiliary/tests_aux.c, ``measure_ref_to_pred``.
    """
    reference = reference.astype(float)
    noise     = output.data / 2.0 ** output.frac_bits - reference
    return np.linalg.norm(reference) / np.linalg.norm(noise)


def _arrays(folder):
    return load_arrays(Path(folder) / _FILE)


def main(arguments=None):
    """Write network and images of every type; exit code 2 if the example is not there."""
    parser = argparse.ArgumentParser(
        prog="python -m host.mli_examples",
        description="Write the CIFAR-10 example of embARC MLI as files for xymac run.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=f"folder that holds {_FILE}")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, default=Path("build"),
                        help="where to write the files (default: build)")
    options = parser.parse_args(arguments)
    try:
        for kind in TYPES:
            network = cifar10(options.folder, kind, halves=TYPES[kind][0] == 16)
            images  = cifar10_images(options.folder, kind)
            options.output.mkdir(parents=True, exist_ok=True)
            save_network(options.output / f"{network.name}.npz", network)
            save_arrays(options.output / f"{network.name}_images.npz",
                        {"images": images.data, "labels": images.labels})
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
