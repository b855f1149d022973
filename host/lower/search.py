# SPDX-License-Identifier: Apache-2.0
"""Layers that find largest element positions: data for plans searching a tensor in parts."""

from dataclasses import dataclass

__all__ = ["Search"]


@dataclass(frozen=True)
class Search:
    """Position search of a layer; positions are input element indices in array order.

    Parameters
    ----------
    axis : int, dimension whose indices are each searched separately, -1 for the full tensor
    whole : golden layer that finds positions in a full one-dimensional tensor as the layer does for
        each index. For a single position, it returns the first, or the last, of the largest
        elements over all parts. Or None
    heap : layer that returns the ``whole`` positions in heap order, before ranking, if it finds
        several; else None
    """

    axis:  int
    whole: object = None
    heap:  object = None
