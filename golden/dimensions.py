# SPDX-License-Identifier: Apache-2.0
"""Shapes for concatenated and transposed tensors."""

from __future__ import annotations

from .checks import check_ints

__all__ = ["check_order", "join_shapes", "remove_dimension"]


def join_shapes(shapes: tuple[tuple[int, ...], ...], axis: int) -> tuple[int, ...]:
    """Output shape when tensors of ``shapes`` are concatenated along dimension ``axis``."""
    first = shapes[0]
    return (*first[:axis], sum(shape[axis] for shape in shapes), *first[axis + 1:])


def remove_dimension(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """``shape`` without the dimension ``axis``."""
    return (*shape[:axis], *shape[axis + 1:])


def check_order(order: tuple[int, ...], rank: int) -> None:
    """Raise TypeError or ValueError unless ``order``, ints in a tuple, permutes ``rank`` axes."""
    check_ints("order", order, rank)
    if sorted(order) != list(range(rank)):
        raise ValueError(f"order must hold every dimension from 0 to {rank - 1} once, "
                         f"not {order}")
