"""Exact models of int8 and int16 operators of TensorFlow Lite, bit for bit tflite-micro's."""

from golden.parameters.tflm.options import Activation, Padding

from .tensor import Quantisation, Tensor

__all__ = ["Activation", "Padding", "Quantisation", "Tensor"]
