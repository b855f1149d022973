# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators without quantisation; a host computes them."""
