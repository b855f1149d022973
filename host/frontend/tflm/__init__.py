# SPDX-License-Identifier: Apache-2.0
"""Layers of TensorFlow Lite as integer operations."""
