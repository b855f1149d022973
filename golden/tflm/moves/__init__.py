# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements without changing them."""
