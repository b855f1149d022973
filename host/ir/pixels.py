# SPDX-License-Identifier: Apache-2.0
"""Image dimension orders."""

__all__ = ["CHW", "HWC", "NHWC"]

HWC  = (0, 1, 2)  #: Dimension orders of an image, channels innermost,
CHW  = (1, 2, 0)  #: with its channels outermost, from which rows and columns come first here,
NHWC = (0, 1, 2, 3)  #: and of a batch of images.
