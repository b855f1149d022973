"""Exact models of int8 and int16 operators of TensorFlow Lite, bit for bit tflite-micro's."""

from golden.parameters.tflm.options import Activation, Padding

from .conv import Conv2d, DepthwiseConv2d, TransposeConv
from .convert import Dequantize, Quantize
from .dense import FullyConnected
from .eltwise import Add, Maximum, Minimum, Mul, Sub
from .hard_swish import HardSwish
from .lstm import UnidirectionalSequenceLstm
from .move import Concatenation, Reshape, Split, Transpose
from .pad import Pad, PadV2
from .pool import AveragePool2d, MaxPool2d
from .rectify import LeakyRelu, Prelu, Relu, Relu6
from .reduce import Mean
from .resize import ResizeNearestNeighbor
from .sigmoid import Logistic, Tanh
from .slices import Slice, StridedSlice
from .softmax import Softmax
from .svdf import Svdf
from .tensor import Quantisation, Tensor

__all__ = [
    "Activation",
    "Add",
    "AveragePool2d",
    "Concatenation",
    "Conv2d",
    "DepthwiseConv2d",
    "Dequantize",
    "FullyConnected",
    "HardSwish",
    "LeakyRelu",
    "Logistic",
    "MaxPool2d",
    "Maximum",
    "Mean",
    "Minimum",
    "Mul",
    "Pad",
    "PadV2",
    "Padding",
    "Prelu",
    "Quantisation",
    "Quantize",
    "Relu",
    "Relu6",
    "Reshape",
    "ResizeNearestNeighbor",
    "Slice",
    "Softmax",
    "Split",
    "StridedSlice",
    "Sub",
    "Svdf",
    "Tanh",
    "Tensor",
    "Transpose",
    "TransposeConv",
    "UnidirectionalSequenceLstm",
]
