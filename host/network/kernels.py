"""Kernels of layers by the names that network files call them."""

from golden import mli1

__all__ = ["KERNELS", "kernel_name"]

KERNELS = {
    "conv2d": mli1.Conv2d, "depthwise_conv2d": mli1.DepthwiseConv2d,
    "fully_connected": mli1.FullyConnected, "maxpool": mli1.MaxPool, "avepool": mli1.AvePool,
    "relu": mli1.Rectify, "leaky_relu": mli1.LeakyRelu, "sigm": mli1.Sigmoid, "tanh": mli1.Tanh,
    "softmax": mli1.Softmax, "eltwise": mli1.Eltwise, "concat": mli1.Concat,
    "permute": mli1.Permute, "padding2d": mli1.Padding2d, "subtensor": mli1.Subtensor,
    "convert_tensor": mli1.ConvertTensor, "basic_rnn_cell": mli1.BasicRnnCell,
    "lstm_cell": mli1.LstmCell}


def kernel_name(layer):
    """Name of the kernel of ``layer`` in a network file; that of its class if it has none there."""
    return next((name for name, kind in KERNELS.items() if type(layer) is kind),
                type(layer).__name__)
