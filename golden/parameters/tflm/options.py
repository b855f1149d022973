# SPDX-License-Identifier: Apache-2.0
"""Operator options as the TensorFlow Lite schema spells them."""

from enum import Enum

__all__ = ["Activation", "Padding"]


class Padding(Enum):
    """Where windows may lie. Source: tensorflow/lite/schema/schema.fbs, ``Padding``."""

    SAME  = 0  #: As many windows as the image has elements, divided by the stride.
    VALID = 1  #: On the image alone.


class Activation(Enum):
    """Output function. Source: tensorflow/lite/schema/schema.fbs."""

    NONE         = 0
    RELU         = 1  #: From 0.
    RELU_N1_TO_1 = 2  #: From -1 to 1.
    RELU6        = 3  #: From 0 to 6.
    TANH         = 4  #: Only for recurrent operators.
    SIGN_BIT     = 5
