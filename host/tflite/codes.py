# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite schema numbers, by their schema names."""

from enum import IntEnum

import tflite

__all__ = ["ACTIVATION", "MIRROR_MODE", "OPERATOR", "OPTIONS", "PADDING", "TENSOR_TYPE",
           "WEIGHTS_FORMAT"]


def _codes(numbers):
    """IntEnum with the numbers from a generated schema class."""
    return IntEnum(numbers.__name__, {name: number for name, number in vars(numbers).items()
                                      if isinstance(number, int)})


ACTIVATION     = _codes(tflite.ActivationFunctionType)
MIRROR_MODE    = _codes(tflite.MirrorPadMode)
OPERATOR       = _codes(tflite.BuiltinOperator)
OPTIONS        = _codes(tflite.BuiltinOptions)
PADDING        = _codes(tflite.Padding)
TENSOR_TYPE    = _codes(tflite.TensorType)
WEIGHTS_FORMAT = _codes(tflite.FullyConnectedOptionsWeightsFormat)
