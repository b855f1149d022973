# SPDX-License-Identifier: Apache-2.0
"""Multipliers, limits and paddings that TensorFlow Lite derives from scales and options."""
