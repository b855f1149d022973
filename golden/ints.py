# SPDX-License-Identifier: Apache-2.0
"""Conversion from numpy integers to int in layer parameters."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any, ClassVar

import numpy as np

__all__ = ["PlainInts", "plain"]


def plain(value: Any) -> Any:
    """Convert a numpy integer, alone or in a tuple, to int; return any other value unchanged.

    Arithmetic on a numpy integer wraps at its width, arithmetic on an int does not.
    """
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return int(value) if isinstance(value, np.integer) else value


class PlainInts:
    """Base for a frozen dataclass whose fields become ``plain`` when it is made."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, plain(getattr(self, field.name)))
