"""Exact models of the kernels of embARC MLI 2.0, bit for bit those of its reference code."""

from golden.kinds import Act, EltwiseOp, Relu

from .activation import (
    LeakyRelu,
    Prelu,
    Rectify,
    Sigmoid,
    Tanh,
    run_leaky_relu,
    run_relu,
    run_table,
)
from .arithmetic import Build
from .cells import Direction, GruCell, LstmCell, RnnOutput, run_gru_cell, run_lstm_cell
from .conv import (
    Conv2d,
    DepthwiseConv2d,
    GroupConv2d,
    TransposeConv2d,
    run_conv2d,
    run_transpose_conv2d,
)
from .convert import ConvertTensor, run_convert_tensor
from .dense import FullyConnected, RnnDense, run_fully_connected, run_rnn_dense
from .eltwise import Eltwise, run_eltwise
from .move import ArgMax, Concat, Permute, run_arg_max, run_concat, run_permute
from .pool import AvePool, MaxPool, run_ave_pool, run_max_pool
from .softmax import L2Normalize, Softmax, run_divided
from .tensor import Affine, Element, Fixed, QuantTensor

__all__ = [
    "INPUTS", "KERNELS", "Act", "Affine", "ArgMax", "AvePool", "Build", "Concat", "Conv2d",
    "ConvertTensor", "DepthwiseConv2d", "Direction", "Element", "Eltwise", "EltwiseOp", "Fixed",
    "FullyConnected", "GroupConv2d", "GruCell", "L2Normalize", "LeakyRelu", "LstmCell",
    "MaxPool", "Permute", "Prelu", "QuantTensor", "Rectify", "Relu", "RnnDense", "RnnOutput",
    "Sigmoid", "Softmax", "Tanh", "TransposeConv2d",
]

#: What applies a layer to its inputs, by the kind of layer.
KERNELS = {
    Conv2d: run_conv2d,
    GroupConv2d: run_conv2d,
    DepthwiseConv2d: run_conv2d,
    TransposeConv2d: run_transpose_conv2d,
    FullyConnected: run_fully_connected,
    RnnDense: run_rnn_dense,
    LstmCell: run_lstm_cell,
    GruCell: run_gru_cell,
    MaxPool: run_max_pool,
    AvePool: run_ave_pool,
    Rectify: run_relu,
    LeakyRelu: run_leaky_relu,
    Prelu: run_leaky_relu,
    Sigmoid: run_table,
    Tanh: run_table,
    Softmax: run_divided,
    L2Normalize: run_divided,
    Eltwise: run_eltwise,
    Permute: run_permute,
    Concat: run_concat,
    ArgMax: run_arg_max,
    ConvertTensor: run_convert_tensor,
}
INPUTS = {Eltwise: 2, RnnDense: 2}  #: Where it is not 1; Concat takes any number.
