"""Exact models of the kernels, bit for bit those of embARC MLI."""

from .conv import conv2d, depthwise_conv2d, run_conv2d, run_depthwise_conv2d
from .dense import fully_connected, run_fully_connected
from .layer import Conv2d, DepthwiseConv2d, FullyConnected, Layout, Relu
from .tensor import Result, Tensor

__all__ = [
    "Conv2d", "DepthwiseConv2d", "FullyConnected", "Layout", "Relu", "Result", "Tensor", "conv2d",
    "depthwise_conv2d", "fully_connected", "run",
]

_KERNELS = {
    Conv2d: run_conv2d,
    DepthwiseConv2d: run_depthwise_conv2d,
    FullyConnected: run_fully_connected,
}


def run(layer, x):
    """Apply ``layer`` (constants of a kernel call) to the Tensor ``x``; returns a Result.

    TypeError for an unknown kind of layer; TypeError or ValueError for what its ``check`` refuses.
    """
    if type(layer) not in _KERNELS:
        raise TypeError(f"Layer must be one of {', '.join(kind.__name__ for kind in _KERNELS)}, "
                        f"not {type(layer).__name__}")
    return _KERNELS[type(layer)](layer, x)
