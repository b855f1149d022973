# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x function names without an implementation here."""

__all__ = ["ABSENT_NAMES"]

_OF_111 = ("MLI 1.1.1 has 26 functions of asymmetric types, MLI 1.0 none; maxpool_hwc and "
           "avepool_hwc are here; the arithmetic of the others is not that of MLI 2.0, whose "
           "kernels are here: scales have 32 bits and one number of fractional bits, the ratio of "
           "input and output scale has 30 fractional bits, and the bias is scaled")

#: Reason by name suffix.
ABSENT_NAMES = {
    "sa8":           _OF_111,
    "sa8_sa8_sa32":  _OF_111,
    ("depthwise_conv2d", "hwc"): "the library has no depthwise convolution in HWC",
}
