# SPDX-License-Identifier: Apache-2.0
"""Matrix inputs: a single element row, or several consecutive rows."""

from math import prod

import numpy as np

from xymac.host.memory.layout import TensorLayout

__all__ = ["lay_rows", "row_places"]


def lay_rows(x, rows, ways):
    """TensorLayout of a Tensor like ``x`` for a matrix with ``rows`` input rows, each aligned to a
    vector.
    """
    if rows == 1:
        return TensorLayout.flat(x, ways)
    for inner in range(1, len(x.shape)):
        if prod(x.shape[:-inner]) == rows:
            return TensorLayout.of(x, range(len(x.shape)), ways, inner=inner)
    return TensorLayout.flat(x, ways, parts=(prod(x.shape) // rows,) * rows)


def row_places(source, rows):
    """Row index for every element in the row vectors, -1 for padding.

    None unless the TensorLayout ``source`` has ``rows`` equal consecutive rows.
    """
    places = source.places().reshape(rows, -1) if source.groups % rows == 0 else None
    if places is not None:
        size     = prod(source.shape) // rows
        expected = np.where(places[0] < 0, -1, places[0] + size * np.arange(rows)[:, None])
        if (places == expected).all() and places[0].max() < size:
            return places[0]
    return None
