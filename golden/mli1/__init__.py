# SPDX-License-Identifier: Apache-2.0
"""Bit-exact models of the embARC MLI 1.x kernels."""

from xymac.golden.kinds import Act, EltwiseOp, Relu
from xymac.golden.result import Result

from .activation import (
    LeakyRelu,
    Rectify,
    Sigmoid,
    Softmax,
    Tanh,
    leaky_relu,
    relu,
    sigm,
    softmax,
    tanh,
)
from .conv import Conv2d, DepthwiseConv2d, conv2d, depthwise_conv2d
from .convert import ConvertTensor, convert_tensor
from .dense import FullyConnected, fully_connected
from .eltwise import Eltwise, eltwise
from .layout import Layout
from .lstm import LstmCell, lstm_cell
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
)
from .pool import AvePool, MaxPool, ave_pool, max_pool
from .recurrent import BasicRnnCell, RnnMode, basic_rnn_cell
from .tensor import Tensor

__all__ = [
    "Act", "AvePool", "BasicRnnCell", "Concat", "Conv2d", "ConvertTensor", "DepthwiseConv2d",
    "Eltwise", "EltwiseOp", "FullyConnected", "Layout", "LeakyRelu", "LstmCell", "MaxPool",
    "Padding2d", "Permute", "Rectify", "Relu", "Result", "RnnMode", "Sigmoid", "Softmax",
    "Subtensor", "Tanh", "Tensor", "ave_pool", "basic_rnn_cell", "concat", "conv2d",
    "convert_tensor", "count_elem_num", "depthwise_conv2d", "element_size", "eltwise",
    "fully_connected", "leaky_relu", "lstm_cell", "max_pool", "padding2d", "permute",
    "point_to_subtensor", "relu", "sigm", "softmax", "tanh",
]
