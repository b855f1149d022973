"""Exact models of int8 and int16 operators of TensorFlow Lite, bit for bit tflite-micro's."""

from golden.parameters.tflm.options import Activation, Padding

from .conv import Conv2d, DepthwiseConv2d, TransposeConv
from .dense import FullyConnected
from .eltwise import Add, Maximum, Minimum, Mul, Sub
from .pool import AveragePool2d, MaxPool2d
from .reduce import Mean
from .tensor import Quantisation, Tensor

__all__ = [
    "Activation", "Add", "AveragePool2d", "Conv2d", "DepthwiseConv2d", "FullyConnected",
    "MaxPool2d", "Maximum", "Mean", "Minimum", "Mul", "Padding", "Quantisation", "Sub", "Tensor",
    "TransposeConv",
]
