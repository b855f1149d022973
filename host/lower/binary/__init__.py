# SPDX-License-Identifier: Apache-2.0
"""Elementwise operations on two tensors."""
