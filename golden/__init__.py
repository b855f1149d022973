"""Exact models of the kernels, bit for bit those of embARC MLI; ``xs3_kernels`` has lib_nn's."""

from .activation import (
    LeakyRelu,
    Rectify,
    Sigmoid,
    Softmax,
    Tanh,
    leaky_relu,
    relu,
    run_leaky_relu,
    run_relu,
    run_sigm,
    run_softmax,
    run_tanh,
    sigm,
    softmax,
    tanh,
)
from .conv import conv2d, depthwise_conv2d, run_conv2d, run_depthwise_conv2d
from .convert import ConvertTensor, convert_tensor, run_convert_tensor
from .dense import fully_connected, run_fully_connected
from .eltwise import Eltwise, EltwiseOp, eltwise, run_eltwise
from .layer import Conv2d, DepthwiseConv2d, FullyConnected, Layout, Relu
from .lstm import LstmCell, lstm_cell, run_lstm_cell
from .mli2 import INPUTS as _MLI2_INPUTS
from .mli2 import KERNELS as _MLI2_KERNELS
from .mli2 import Concat as _Mli2Concat
from .move import (
    Concat,
    Padding2d,
    Permute,
    Subtensor,
    concat,
    count_elem_num,
    element_size,
    padding2d,
    permute,
    point_to_subtensor,
    run_concat,
    run_padding2d,
    run_permute,
    run_subtensor,
)
from .pool import AvePool, MaxPool, ave_pool, max_pool, run_ave_pool, run_max_pool
from .recurrent import (
    Act,
    BasicRnnCell,
    RnnMode,
    basic_rnn_cell,
    run_basic_rnn_cell,
)
from .tensor import Result, Tensor
from .xs3_kernels import INPUTS as _XS3_INPUTS
from .xs3_kernels import KERNELS as _XS3_KERNELS

__all__ = [
    "Act", "AvePool", "BasicRnnCell", "Concat", "Conv2d", "ConvertTensor", "DepthwiseConv2d",
    "Eltwise", "EltwiseOp", "FullyConnected", "Layout", "LeakyRelu", "LstmCell", "MaxPool",
    "Padding2d", "Permute", "Rectify", "Relu", "Result", "RnnMode", "Sigmoid", "Softmax",
    "Subtensor", "Tanh", "Tensor", "ave_pool", "basic_rnn_cell", "concat", "conv2d",
    "convert_tensor", "count_elem_num", "depthwise_conv2d", "element_size", "eltwise",
    "fully_connected", "leaky_relu", "lstm_cell", "max_pool", "padding2d", "permute",
    "point_to_subtensor", "relu", "run", "sigm", "softmax", "tanh",
]

_KERNELS = {
    Conv2d: run_conv2d,
    DepthwiseConv2d: run_depthwise_conv2d,
    FullyConnected: run_fully_connected,
    MaxPool: run_max_pool,
    AvePool: run_ave_pool,
    Rectify: run_relu,
    LeakyRelu: run_leaky_relu,
    Sigmoid: run_sigm,
    Tanh: run_tanh,
    Softmax: run_softmax,
    Eltwise: run_eltwise,
    Concat: run_concat,
    Permute: run_permute,
    Padding2d: run_padding2d,
    Subtensor: run_subtensor,
    ConvertTensor: run_convert_tensor,
    BasicRnnCell: run_basic_rnn_cell,
    LstmCell: run_lstm_cell,
    **_XS3_KERNELS,
    **_MLI2_KERNELS,
}
_ANY_NUMBER = Concat, _Mli2Concat  #: Kinds that take any number of inputs.
#: Where it is not 1.
_INPUTS = {Eltwise: 2, **_XS3_INPUTS, **_MLI2_INPUTS}


def run(layer, *inputs):
    """Apply ``layer`` (constants of a kernel call) to Tensors, or to Integers; returns a Result.

    TypeError for an unknown kind of layer or a wrong number of inputs; TypeError or ValueError for
    what its ``check`` refuses.
    """
    kind = type(layer)
    if kind not in _KERNELS:
        raise TypeError(f"Layer must be one of {', '.join(kind.__name__ for kind in _KERNELS)}, "
                        f"not {kind.__name__}")
    expected = len(inputs) if kind in _ANY_NUMBER else _INPUTS.get(kind, 1)
    if len(inputs) != expected:
        raise TypeError(f"Inputs of {kind.__name__} must be {expected}, not {len(inputs)}")
    return _KERNELS[kind](layer, *inputs)
