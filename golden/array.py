# SPDX-License-Identifier: Apache-2.0
"""Base class for all tensors."""

from __future__ import annotations

from dataclasses import Field, fields, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

__all__ = ["Array", "Ints"]

Ints = TypeVar("Ints", int, np.ndarray)  #: An integer or an array of them.

_REPR = 60  # characters of a field


class Array:
    """Base of a frozen dataclass, made with ``eq=False``, whose field ``data`` is a numpy array.

    Two arrays are equal if they have the same class, the same data (dtype, shape and values) and
    equal other fields. An array has no hash, because its data can change.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    data: np.ndarray

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return (self.data.dtype == other.data.dtype and np.array_equal(self.data, other.data)
                and all(getattr(self, field.name) == getattr(other, field.name)
                        for field in fields(self) if field.name != "data"))

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        """Type, shape and format in a line, without the elements."""
        others = "".join(f", {field.name}={_cut(getattr(self, field.name))}"
                         for field in fields(self) if field.name != "data")
        shape  = "x".join(map(str, self.shape)) or "scalar"
        return f"{type(self).__name__}({self.data.dtype} {shape}{others})"

    @property
    def shape(self) -> tuple[int, ...]:
        """``data.shape``."""
        return self.data.shape

    def take(self, slices: tuple[slice, ...]) -> Self:
        """The elements under ``slices``, in the same format."""
        return replace(self, data=self.data[slices])

    @property
    def bits(self) -> int:
        """Element width in bits."""
        return 8 * self.data.itemsize

    @property
    def type_name(self) -> str:
        """Element type as the library spells it in function names."""
        return self.data.dtype.name


def _cut(value):
    text = " ".join(repr(value).split())
    return text if len(text) <= _REPR else f"{text[:_REPR - 1]}…"
