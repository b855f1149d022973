# SPDX-License-Identifier: Apache-2.0
"""A lib_nn function call: arguments and resulting work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden.xs3.integers import Integers

from .memory import view, writable

if TYPE_CHECKING:
    import numpy.typing as npt

    from xymac.golden.xs3.layer import IntegerLayer

__all__ = ["Call", "Work", "integers"]


@dataclass(frozen=True, eq=False)
class Work:
    """A call's computation and its destination.

    Parameters
    ----------
    layer : layer from ``xymac.golden.xs3``
    inputs : Integers, in order
    target : view to write, in the output size
    result : the function's return value
    """

    layer:  IntegerLayer
    inputs: tuple[Integers, ...]
    target: np.ndarray
    result: np.ndarray | None = None


class Call:
    """Call arguments as attributes.

    Parameters
    ----------
    low : int, lowest 8-bit output
    arguments : dict
    """

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            """Argument value."""

    def __init__(self, low: int, arguments: dict[str, Any]) -> None:
        self.low = low
        vars(self).update(arguments)

    def integers(self, name: str, dtype: npt.DTypeLike, shape: tuple[int, ...],
                 start: int = 0) -> Integers:
        """Integers in the memory behind the argument ``name``; see ``view``."""
        return integers(view(name, getattr(self, name), dtype, shape, start))

    def target(self, dtype: npt.DTypeLike, shape: tuple[int, ...], start: int = 0) -> np.ndarray:
        """``Y`` memory to write; ValueError if it is not writable."""
        return writable("Y", self.Y, dtype, shape, start)


def integers(part: np.ndarray) -> Integers:
    """Integers from a memory view, made contiguous."""
    return Integers(np.ascontiguousarray(part))
