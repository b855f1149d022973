# SPDX-License-Identifier: Apache-2.0
"""Layers of xymac.golden.tflm for the operators of TensorFlow Lite files."""
