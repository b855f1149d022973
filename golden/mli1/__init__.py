"""Exact models of the kernels of embARC MLI 1.x, bit for bit those of its code."""

from golden.kinds import Act, EltwiseOp, Relu
from golden.result import Result

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
from .eltwise import Eltwise, eltwise, run_eltwise
from .layer import Conv2d, DepthwiseConv2d, FullyConnected, Layout
from .lstm import LstmCell, lstm_cell, run_lstm_cell
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
from .recurrent import BasicRnnCell, RnnMode, basic_rnn_cell, run_basic_rnn_cell
from .tensor import Tensor

__all__ = [
    "INPUTS", "KERNELS",
    "Act", "AvePool", "BasicRnnCell", "Concat", "Conv2d", "ConvertTensor", "DepthwiseConv2d",
    "Eltwise", "EltwiseOp", "FullyConnected", "Layout", "LeakyRelu", "LstmCell", "MaxPool",
    "Padding2d", "Permute", "Rectify", "Relu", "Result", "RnnMode", "Sigmoid", "Softmax",
    "Subtensor", "Tanh", "Tensor", "ave_pool", "basic_rnn_cell", "concat", "conv2d",
    "convert_tensor", "count_elem_num", "depthwise_conv2d", "element_size", "eltwise",
    "fully_connected", "leaky_relu", "lstm_cell", "max_pool", "padding2d", "permute",
    "point_to_subtensor", "relu", "sigm", "softmax", "tanh",
]

#: What applies a layer to its inputs, by the kind of layer.
KERNELS = {
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
}
INPUTS = {Eltwise: 2}  #: Where it is not 1; Concat takes any number.
