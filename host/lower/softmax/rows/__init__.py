# SPDX-License-Identifier: Apache-2.0
"""Softmax over bytes: the passes for row blocks, and their tables."""
