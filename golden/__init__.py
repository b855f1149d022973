# SPDX-License-Identifier: Apache-2.0
"""Exact integer models of four kernel libraries, and the function that runs them."""

from .layer import Layer, run

__all__ = ["Layer", "run"]
