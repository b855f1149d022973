# SPDX-License-Identifier: Apache-2.0
"""Operators on two tensors, element by element: comparisons, quotients, squared differences."""
