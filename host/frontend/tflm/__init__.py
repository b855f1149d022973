# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite layers as integer operations."""
