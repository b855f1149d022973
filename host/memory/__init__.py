# SPDX-License-Identifier: Apache-2.0
"""Tensor memory layouts."""
