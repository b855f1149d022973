"""Networks of layers, and labelled images."""

from dataclasses import dataclass
from math import prod

import numpy as np

from golden.ints import plain
from golden.mli1 import (
    AvePool,
    BasicRnnCell,
    Concat,
    Conv2d,
    ConvertTensor,
    DepthwiseConv2d,
    Eltwise,
    FullyConnected,
    LeakyRelu,
    LstmCell,
    MaxPool,
    Padding2d,
    Permute,
    Rectify,
    Sigmoid,
    Softmax,
    Subtensor,
    Tanh,
    Tensor,
)
from host.errors import InputError, translate_refusals
from host.plan.graph import Node, blank_values, previous

__all__ = ["ELEMENTS", "INPUT", "KERNELS", "Images", "Network", "kernel_name"]

INPUT    = "input"  #: Name of the input of a network.
ELEMENTS = 1 << 24  #: Of a value at most: far more than the memories of any core hold.
KERNELS  = {
    "conv2d": Conv2d, "depthwise_conv2d": DepthwiseConv2d, "fully_connected": FullyConnected,
    "maxpool": MaxPool, "avepool": AvePool, "relu": Rectify, "leaky_relu": LeakyRelu,
    "sigm": Sigmoid, "tanh": Tanh, "softmax": Softmax, "eltwise": Eltwise, "concat": Concat,
    "permute": Permute, "padding2d": Padding2d, "subtensor": Subtensor,
    "convert_tensor": ConvertTensor, "basic_rnn_cell": BasicRnnCell, "lstm_cell": LstmCell}


@dataclass(frozen=True)
class Network:
    """Layers, each of which takes the input or outputs of layers before it; the last is the result.

    Parameters
    ----------
    name : str
    input_shape : tuple of int
    dtype : numpy dtype, int8 or int16
    frac_bits : int, of the input
    layers : tuple of golden layers
    sources : tuple of tuples, for every layer the values it takes: 0 is the input, ``n`` the output
        of layer ``n - 1``; without it every layer takes the output of the one before
    names : tuple of str, one a layer, each of them once and none of them ``INPUT``; without it
        their numbers

    InputError, naming the layer, if one refuses its inputs or a value has more than ``ELEMENTS``.
    """

    name:        str
    input_shape: tuple
    dtype:       np.dtype
    frac_bits:   int
    layers:      tuple
    sources:     tuple = ()
    names:       tuple = ()

    def __post_init__(self):
        for field in ("input_shape", "frac_bits", "sources"):
            object.__setattr__(self, field, plain(getattr(self, field)))
        if not self.layers:
            raise InputError("A network must have at least one layer, not 0")
        count = range(len(self.layers))
        if not self.sources:
            object.__setattr__(self, "sources", tuple(previous(index) for index in count))
        if not self.names:
            object.__setattr__(self, "names", tuple(str(index) for index in count))
        for field in ("sources", "names"):
            if len(getattr(self, field)) != len(self.layers):
                raise InputError(f"There are {len(self.layers)} layers, but "
                                 f"{len(getattr(self, field))} {field}")
        if len({INPUT, *self.names}) != len(self.names) + 1:
            raise InputError(f"Names must differ from each other and from {INPUT!r}, "
                             f"not {', '.join(self.names)}")
        _values(self)

    @property
    def nodes(self):
        """The layers with their sources."""
        return [Node(*each) for each in zip(self.layers, self.sources, self.names, strict=True)]

    @property
    def values(self):
        """Blank Tensors in the format of the input and of the output of every layer."""
        return _values(self)

    def tensor(self, data):
        """Input Tensor that holds ``data``."""
        return Tensor(data, self.frac_bits)


@dataclass(frozen=True)
class Images:
    """Inputs of a network: ``data`` (count, *input shape) and ``labels`` (count,) or None."""

    data:   np.ndarray
    labels: np.ndarray | None


def kernel_name(layer):
    """Name of the kernel of ``layer`` in a network file."""
    return next(name for name, kind in KERNELS.items() if type(layer) is kind)


def _values(network):
    with translate_refusals("input", TypeError, ValueError):
        _check_elements("The input", network.input_shape)
        values = [network.tensor(np.zeros(network.input_shape, network.dtype))]
    blanks = blank_values(network.nodes, values[:1])
    next(blanks)
    for name, layer in zip(network.names, network.layers, strict=True):
        what = f"Layer {name} ({kernel_name(layer)})"
        with translate_refusals(what, MemoryError, OverflowError, TypeError, ValueError):
            values.append(next(blanks))
        _check_elements(f"{what}: the output", values[-1].shape)
    return values


def _check_elements(what, shape):
    if prod(shape) > ELEMENTS:
        raise InputError(f"{what} may have {ELEMENTS:,} elements at most, not {prod(shape):,}, "
                         f"which is what its shape {'x'.join(map(str, shape))} has")
