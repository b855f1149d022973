# SPDX-License-Identifier: Apache-2.0
"""Exact integer models of the kernels of four libraries, and one function that runs them."""

from .layer import Layer, run

__all__ = ["Layer", "run"]
