# SPDX-License-Identifier: Apache-2.0
"""Bit-exact models of the embARC MLI 2.0 reference kernels."""

from xymac.golden.kinds import Act, EltwiseOp, Relu

from .activation import LeakyRelu, Prelu, Rectify, Sigmoid, Tanh
from .arithmetic import Build
from .cells import Direction, GruCell, LstmCell, RnnOutput
from .conv import Conv2d, DepthwiseConv2d, GroupConv2d, TransposeConv2d
from .convert import ConvertTensor
from .dense import FullyConnected, RnnDense
from .eltwise import Eltwise
from .move import ArgMax, Concat, Permute
from .pool import AvePool, MaxPool
from .softmax import L2Normalize, Softmax
from .tensor import Affine, Element, Fixed, QuantTensor

__all__ = [
    "Act", "Affine", "ArgMax", "AvePool", "Build", "Concat", "Conv2d",
    "ConvertTensor", "DepthwiseConv2d", "Direction", "Element", "Eltwise", "EltwiseOp", "Fixed",
    "FullyConnected", "GroupConv2d", "GruCell", "L2Normalize", "LeakyRelu", "LstmCell",
    "MaxPool", "Permute", "Prelu", "QuantTensor", "Rectify", "Relu", "RnnDense", "RnnOutput",
    "Sigmoid", "Softmax", "Tanh", "TransposeConv2d",
]
