"""Every kernel of the XS3 library that there is a layer for."""

from .xs3_conv import Xs3Conv2d1x1, Xs3Conv2dDeep, Xs3Conv2dDepthwise, Xs3Conv2dShallowin
from .xs3_dense import Xs3FcDeepin, Xs3FullyConnected
from .xs3_eltwise import Xs3AddElementwise, Xs3Argmax16, Xs3Lookup8, Xs3Requantize16To8
from .xs3_integers import Integers
from .xs3_pool import Xs3AvgPool2d, Xs3AvgPool2dGlobal, Xs3MaxPool2d
from .xs3_transform import Xs3OutputTransform
from .xs3_window import Window

__all__ = [
    "INPUTS", "KERNELS", "Integers", "Window", "Xs3AddElementwise", "Xs3Argmax16", "Xs3AvgPool2d",
    "Xs3AvgPool2dGlobal", "Xs3Conv2d1x1", "Xs3Conv2dDeep", "Xs3Conv2dDepthwise",
    "Xs3Conv2dShallowin", "Xs3FcDeepin", "Xs3FullyConnected", "Xs3Lookup8", "Xs3MaxPool2d",
    "Xs3OutputTransform", "Xs3Requantize16To8",
]

#: What applies a layer, by its kind.
KERNELS = {kind: kind.run for kind in (
    Xs3FullyConnected, Xs3FcDeepin, Xs3Conv2dDeep, Xs3Conv2dShallowin, Xs3Conv2d1x1,
    Xs3Conv2dDepthwise, Xs3MaxPool2d, Xs3AvgPool2d, Xs3AvgPool2dGlobal, Xs3Requantize16To8,
    Xs3Lookup8, Xs3Argmax16, Xs3AddElementwise, Xs3OutputTransform)}
INPUTS = {Xs3AddElementwise: 2}  #: Where it is not 1.
