"""Dimensions of tensors that are joined or put into another order."""

from .checks import check_ints

__all__ = ["check_order", "join_shapes", "remove_dimension"]


def join_shapes(shapes, axis):
    """Shape of tensors one after the other along the dimension ``axis``."""
    first = shapes[0]
    return (*first[:axis], sum(shape[axis] for shape in shapes), *first[axis + 1:])


def remove_dimension(shape, axis):
    """``shape`` without the dimension ``axis``."""
    return (*shape[:axis], *shape[axis + 1:])


def check_order(order, rank):
    """Raise unless ``order`` is a tuple that holds every dimension of ``rank`` once."""
    check_ints("order", order, rank)
    if sorted(order) != list(range(rank)):
        raise ValueError(f"order must hold every dimension from 0 to {rank - 1} once, "
                         f"not {order}")
