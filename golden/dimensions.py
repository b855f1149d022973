# SPDX-License-Identifier: Apache-2.0
"""Shapes of concatenated and transposed tensors."""

from __future__ import annotations

from .checks import check_ints

__all__ = ["check_order", "join_shapes", "remove_dimension"]


def join_shapes(shapes: tuple[tuple[int, ...], ...], axis: int) -> tuple[int, ...]:
    """Shape of the concatenation of tensors with ``shapes`` along the dimension ``axis``, a tuple.
    """
    first = shapes[0]
    return (*first[:axis], sum(shape[axis] for shape in shapes), *first[axis + 1:])


def remove_dimension(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """``shape`` without the dimension ``axis``."""
    return (*shape[:axis], *shape[axis + 1:])


def check_order(order: tuple[int, ...], rank: int) -> None:
    """Raise TypeError or ValueError unless ``order`` is a permutation of the dimensions 0 .. ``rank
    - 1``, as a tuple of int.
    """
    check_ints("order", order, rank)
    if sorted(order) != list(range(rank)):
        raise ValueError(f"order must hold every dimension from 0 to {rank - 1} once, "
                         f"not {order}")
