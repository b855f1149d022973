# SPDX-License-Identifier: Apache-2.0
"""Kernel names in network files, and array classes by library."""

import re
from dataclasses import is_dataclass

from xymac.golden import mli1, mli2, xs3
from xymac.golden.layer import LayerBase

__all__ = ["ARRAYS", "KERNELS", "kernel_name", "library_of"]

#: Array classes by library; kernel names of the first library have no prefix.
ARRAYS = {"mli1": mli1.Tensor, "mli2": mli2.QuantTensor, "xs3": xs3.Integers}


def _layers(package, library):
    """A golden package's layers by name, such as ``mli2.fully_connected``."""
    kinds = (getattr(package, name) for name in package.__all__)
    return {f"{library}.{_spell(kind.__name__)}": kind for kind in kinds
            if isinstance(kind, type) and issubclass(kind, LayerBase) and is_dataclass(kind)}


def _spell(name):
    """``fully_connected`` from ``FullyConnected``, ``conv2d_1x1`` from ``Conv2d1x1``."""
    words = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", re.sub(r"(\dd)(\d)", r"\1_\2", name))
    return words.lower()


KERNELS = {
    "conv2d": mli1.Conv2d, "depthwise_conv2d": mli1.DepthwiseConv2d,
    "fully_connected": mli1.FullyConnected, "maxpool": mli1.MaxPool, "avepool": mli1.AvePool,
    "relu": mli1.Rectify, "leaky_relu": mli1.LeakyRelu, "sigm": mli1.Sigmoid, "tanh": mli1.Tanh,
    "softmax": mli1.Softmax, "eltwise": mli1.Eltwise, "concat": mli1.Concat,
    "permute": mli1.Permute, "padding2d": mli1.Padding2d, "subtensor": mli1.Subtensor,
    "convert_tensor": mli1.ConvertTensor, "basic_rnn_cell": mli1.BasicRnnCell,
    "lstm_cell": mli1.LstmCell, **_layers(mli2, "mli2"), **_layers(xs3, "xs3")}


def kernel_name(layer):
    """``layer``'s kernel name in a network file; its class name if it has none."""
    return next((name for name, kind in KERNELS.items() if type(layer) is kind),
                type(layer).__name__)


def library_of(name):
    """The kernel ``name``'s library."""
    return name.partition(".")[0] if "." in name else "mli1"
