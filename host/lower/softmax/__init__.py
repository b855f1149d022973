# SPDX-License-Identifier: Apache-2.0
"""Softmax and L2 normalisation: shares of a sum along a dimension."""
