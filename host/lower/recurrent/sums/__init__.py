# SPDX-License-Identifier: Apache-2.0
"""Sums of products of recurrent kernels, one way of them for every kind of format."""
