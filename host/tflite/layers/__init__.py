# SPDX-License-Identifier: Apache-2.0
"""Layers from xymac.golden.tflm for TensorFlow Lite operators."""
