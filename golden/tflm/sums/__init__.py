# SPDX-License-Identifier: Apache-2.0
"""Operators that sum products or window elements."""
