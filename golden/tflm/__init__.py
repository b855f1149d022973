"""Exact models of int8 and int16 operators of TensorFlow Lite, bit for bit tflite-micro's."""

from golden.parameters.tflm.options import Activation, Padding

from .convert import Dequantize, Quantize
from .curves.hard_swish import HardSwish
from .curves.rectify import LeakyRelu, Prelu, Relu, Relu6
from .curves.sigmoid import Logistic, Tanh
from .curves.softmax import Softmax
from .eltwise import Add, Maximum, Minimum, Mul, Sub
from .moves.blocks import BatchToSpaceNd, DepthToSpace, SpaceToBatchNd, SpaceToDepth
from .moves.gather import EmbeddingLookup, Gather, GatherNd
from .moves.move import Concatenation, Reshape, Split, Transpose
from .moves.pack import Pack
from .moves.pad import Pad, PadV2
from .moves.parts import SplitV, Unpack
from .moves.pick import Pick
from .moves.repeat import BroadcastTo, Fill, MirrorPad, ReverseV2
from .moves.resize import ResizeBilinear, ResizeNearestNeighbor
from .moves.shapes import ExpandDims, Squeeze
from .moves.slices import Slice, StridedSlice
from .plain.binary import PlainBinary, PlainOperation
from .recurrent.lstm import UnidirectionalSequenceLstm
from .recurrent.svdf import Svdf
from .sums.conv import Conv2d, DepthwiseConv2d, TransposeConv
from .sums.dense import FullyConnected
from .sums.pool import AveragePool2d, MaxPool2d
from .sums.reduce import Mean
from .tensor import Quantisation, Tensor

__all__ = [
    "Activation",
    "Add",
    "AveragePool2d",
    "BatchToSpaceNd",
    "BroadcastTo",
    "Concatenation",
    "Conv2d",
    "DepthToSpace",
    "DepthwiseConv2d",
    "Dequantize",
    "EmbeddingLookup",
    "ExpandDims",
    "Fill",
    "FullyConnected",
    "Gather",
    "GatherNd",
    "HardSwish",
    "LeakyRelu",
    "Logistic",
    "MaxPool2d",
    "Maximum",
    "Mean",
    "Minimum",
    "MirrorPad",
    "Mul",
    "Pack",
    "Pad",
    "PadV2",
    "Padding",
    "Pick",
    "PlainBinary",
    "PlainOperation",
    "Prelu",
    "Quantisation",
    "Quantize",
    "Relu",
    "Relu6",
    "Reshape",
    "ResizeBilinear",
    "ResizeNearestNeighbor",
    "ReverseV2",
    "Slice",
    "Softmax",
    "SpaceToBatchNd",
    "SpaceToDepth",
    "Split",
    "SplitV",
    "Squeeze",
    "StridedSlice",
    "Sub",
    "Svdf",
    "Tanh",
    "Tensor",
    "Transpose",
    "TransposeConv",
    "UnidirectionalSequenceLstm",
    "Unpack",
]
