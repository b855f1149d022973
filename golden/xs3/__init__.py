# SPDX-License-Identifier: Apache-2.0
"""The XS3 kernels that have a layer."""

from .conv import Conv2d1x1, Conv2dDeep, Conv2dDepthwise, Conv2dShallowin
from .dense import FcDeepin, FullyConnected
from .eltwise import AddElementwise, Argmax16, Lookup8, MulElementwise, Requantize16To8
from .int16 import AddInt16, MultiplyInt16, RequantizeInt16
from .integers import Integers
from .pool import AvgPool2d, AvgPool2dGlobal, MaxPool2d
from .transform import OutputTransform
from .window import Window

__all__ = [
    "AddElementwise",
    "AddInt16",
    "Argmax16",
    "AvgPool2d",
    "AvgPool2dGlobal",
    "Conv2d1x1",
    "Conv2dDeep",
    "Conv2dDepthwise",
    "Conv2dShallowin",
    "FcDeepin",
    "FullyConnected",
    "Integers",
    "Lookup8",
    "MaxPool2d",
    "MulElementwise",
    "MultiplyInt16",
    "OutputTransform",
    "Requantize16To8",
    "RequantizeInt16",
    "Window",
]
