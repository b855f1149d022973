# SPDX-License-Identifier: Apache-2.0
"""Largest-element searches (argmax, top-k) in tensors larger than X."""
