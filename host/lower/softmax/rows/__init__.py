# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite softmax: the passes of blocks of rows, and their tables."""
