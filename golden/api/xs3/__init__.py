# SPDX-License-Identifier: Apache-2.0
"""The lib_nn functions by their documented names, and the vector unit's constants."""

from __future__ import annotations

from .constants import CONSTANTS

__all__ = ["CONSTANTS"]


def __getattr__(name: str) -> int:
    if name in CONSTANTS:
        return CONSTANTS[name]
    raise AttributeError(f"module {__name__} has no attribute {name}")
