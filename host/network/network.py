"""Networks of layers, and labelled images."""

from dataclasses import dataclass

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
from host.plan.graph import Node, blank_values, previous

__all__ = ["INPUT", "KERNELS", "Images", "Network", "kernel_name"]

INPUT   = "input"  #: Name of the input of a network.
KERNELS = {
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
    layers : tuple of golden layers; ValueError naming the layer if one refuses its inputs
    sources : tuple of tuples, for every layer the values it takes: 0 is the input, ``n`` the output
        of layer ``n - 1``; without it every layer takes the output of the one before
    names : tuple of str, one a layer, each of them once and none of them ``INPUT``; without it
        their numbers
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
            raise ValueError("A network must have at least one layer, not 0")
        count = range(len(self.layers))
        if not self.sources:
            object.__setattr__(self, "sources", tuple(previous(index) for index in count))
        if not self.names:
            object.__setattr__(self, "names", tuple(str(index) for index in count))
        for field in ("sources", "names"):
            if len(getattr(self, field)) != len(self.layers):
                raise ValueError(f"There are {len(self.layers)} layers, but "
                                 f"{len(getattr(self, field))} {field}")
        if len({INPUT, *self.names}) != len(self.names) + 1:
            raise ValueError(f"Names must differ from each other and from {INPUT!r}, "
                             f"not {', '.join(self.names)}")
        _values(self)

    @property
    def nodes(self):
        """The layers with their sources."""
        return [Node(*pair) for pair in zip(self.layers, self.sources, strict=True)]

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
    values = []
    x = network.tensor(np.zeros(network.input_shape, network.dtype))
    try:
        for value in blank_values(network.nodes, [x]):
            values.append(value)
    except (TypeError, ValueError) as error:
        index = len(values) - 1
        raise ValueError(f"Layer {network.names[index]} "
                         f"({kernel_name(network.layers[index])}): {error}") from error
    return values
