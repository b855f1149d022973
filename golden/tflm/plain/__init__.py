# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite without quantisation; a host computes them."""
