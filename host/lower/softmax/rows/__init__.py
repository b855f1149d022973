# SPDX-License-Identifier: Apache-2.0
"""Softmax of bytes: the passes of blocks of rows, and their tables."""
