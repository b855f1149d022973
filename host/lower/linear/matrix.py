# SPDX-License-Identifier: Apache-2.0
"""Inputs of a matrix: one row of elements, or several one after the other."""

from math import prod

import numpy as np

from xymac.host.memory.layout import TensorLayout

__all__ = ["lay_rows", "row_places"]


def lay_rows(x, rows, ways):
    """TensorLayout of a Tensor like ``x`` for a matrix that takes ``rows`` rows of it: each of them
    begins with a group."""
    if rows == 1:
        return TensorLayout.flat(x, ways)
    for inner in range(1, len(x.shape)):
        if prod(x.shape[:-inner]) == rows:
            return TensorLayout.of(x, range(len(x.shape)), ways, inner=inner)
    return TensorLayout.flat(x, ways, parts=(prod(x.shape) // rows,) * rows)


def row_places(source, rows):
    """Index into a row of every element of its groups, -1 for padding.

    ValueError unless the TensorLayout ``source`` holds ``rows`` rows alike, one after the other.
    """
    places = source.places().reshape(rows, -1) if source.groups % rows == 0 else None
    if places is not None:
        size     = prod(source.shape) // rows
        expected = np.where(places[0] < 0, -1, places[0] + size * np.arange(rows)[:, None])
        if (places == expected).all() and places[0].max() < size:
            return places[0]
    raise ValueError(f"The layer takes {rows} rows one after the other, its input of shape "
                     f"{source.shape} lies in the order {source.order}, {source.inner} of them "
                     f"together")
