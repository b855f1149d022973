# SPDX-License-Identifier: Apache-2.0
"""Bit-exact models of tflite-micro's int8 and int16 operators."""

from xymac.golden.parameters.tflm.options import Activation, Padding

from .cast import Cast
from .convert import Dequantize, Quantize
from .curves import functions
from .curves.functions import *  # noqa: F403 - a function of an element is a class there, no more
from .curves.hard_swish import HardSwish
from .curves.l2_normalization import L2Normalization
from .curves.log_softmax import LogSoftmax
from .curves.looked_up import Exp, Gelu, Log, Sqrt
from .curves.rectify import LeakyRelu, Prelu, Relu, Relu0To1, Relu6, ReluN1To1
from .curves.sigmoid import Logistic, Tanh
from .curves.softmax import Softmax
from .eltwise import Add, Maximum, Minimum, Mul, Sub
from .moves.among import PickAmong
from .moves.blocks import BatchToSpaceNd, DepthToSpace, SpaceToBatchNd, SpaceToDepth
from .moves.gather import EmbeddingLookup, Gather, GatherNd
from .moves.indexed import GatherAt, Indexing
from .moves.move import Concatenation, Reshape, Split, Transpose
from .moves.pack import Pack
from .moves.pad import Pad, PadV2
from .moves.parts import SplitV, Unpack
from .moves.repeat import BroadcastTo, Fill, MirrorPad, ReverseV2, Tile, ZerosLike
from .moves.resize import ResizeBilinear, ResizeNearestNeighbor
from .moves.select import SelectV2
from .moves.shapes import ExpandDims, Squeeze
from .moves.slices import Slice, StridedSlice
from .moves.update import DynamicUpdateSlice
from .pairs.compare import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from .pairs.logical import LogicalAnd, LogicalNot, LogicalOr
from .pairs.quotient import Div
from .pairs.square import SquaredDifference
from .plain.binary import PlainBinary, PlainOperation
from .plain.compare import PlainCompare, PlainComparison
from .plain.conv import PlainConv, PlainDepthwise, PlainMatmul, PlainTransposeConv
from .plain.many import PlainAddN, PlainCumSum
from .plain.places import PlainPlace
from .plain.pool import PlainPool, PlainPooling
from .plain.resize import PlainResize
from .plain.rows import PlainNormalization, PlainSoftmax
from .plain.shapes import BroadcastArgs
from .plain.slopes import PlainPrelu
from .plain.sums import PlainDense, PlainMean, PlainReduce, PlainReduction
from .plain.table import PlainTable
from .plain.unary import PlainCurve, PlainUnary
from .recurrent.lstm import UnidirectionalSequenceLstm
from .recurrent.svdf import Svdf
from .sums.conv import Conv2d, DepthwiseConv2d, TransposeConv
from .sums.dense import FullyConnected
from .sums.dense_pair import DensePair, PlainDensePair
from .sums.many import AddN, CumSum
from .sums.matmul import BatchMatmul
from .sums.places import ArgMax, ArgMin
from .sums.pool import AveragePool2d, MaxPool2d
from .sums.reduce import Mean, ReduceAll, ReduceMax, ReduceMin, Sum
from .tensor import Quantisation, Tensor

__all__ = [
    "Activation",
    "Add",
    "AddN",
    "ArgMax",
    "ArgMin",
    "AveragePool2d",
    "BatchMatmul",
    "BatchToSpaceNd",
    "BroadcastArgs",
    "BroadcastTo",
    "Cast",
    "Concatenation",
    "Conv2d",
    "CumSum",
    "DensePair",
    "DepthToSpace",
    "DepthwiseConv2d",
    "Dequantize",
    "Div",
    "DynamicUpdateSlice",
    "EmbeddingLookup",
    "Equal",
    "Exp",
    "ExpandDims",
    "Fill",
    "FullyConnected",
    "Gather",
    "GatherAt",
    "GatherNd",
    "Gelu",
    "Greater",
    "GreaterEqual",
    "HardSwish",
    "Indexing",
    "L2Normalization",
    "LeakyRelu",
    "Less",
    "LessEqual",
    "Log",
    "LogSoftmax",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "Logistic",
    "MaxPool2d",
    "Maximum",
    "Mean",
    "Minimum",
    "MirrorPad",
    "Mul",
    "NotEqual",
    "Pack",
    "Pad",
    "PadV2",
    "Padding",
    "PickAmong",
    "PlainAddN",
    "PlainBinary",
    "PlainCompare",
    "PlainComparison",
    "PlainConv",
    "PlainCumSum",
    "PlainCurve",
    "PlainDense",
    "PlainDensePair",
    "PlainDepthwise",
    "PlainMatmul",
    "PlainMean",
    "PlainNormalization",
    "PlainOperation",
    "PlainPlace",
    "PlainPool",
    "PlainPooling",
    "PlainPrelu",
    "PlainReduce",
    "PlainReduction",
    "PlainResize",
    "PlainSoftmax",
    "PlainTable",
    "PlainTransposeConv",
    "PlainUnary",
    "Prelu",
    "Quantisation",
    "Quantize",
    "ReduceAll",
    "ReduceMax",
    "ReduceMin",
    "Relu",
    "Relu0To1",
    "Relu6",
    "ReluN1To1",
    "Reshape",
    "ResizeBilinear",
    "ResizeNearestNeighbor",
    "ReverseV2",
    "SelectV2",
    "Slice",
    "Softmax",
    "SpaceToBatchNd",
    "SpaceToDepth",
    "Split",
    "SplitV",
    "Sqrt",
    "SquaredDifference",
    "Squeeze",
    "StridedSlice",
    "Sub",
    "Sum",
    "Svdf",
    "Tanh",
    "Tensor",
    "Tile",
    "Transpose",
    "TransposeConv",
    "UnidirectionalSequenceLstm",
    "Unpack",
    "ZerosLike",
]
__all__ += functions.__all__
