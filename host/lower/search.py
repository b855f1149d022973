# SPDX-License-Identifier: Apache-2.0
"""Layers that find places of largest elements: what plans need to search a tensor in parts."""

from dataclasses import dataclass

__all__ = ["Search"]


@dataclass(frozen=True)
class Search:
    """How a layer finds places, which count elements of its input in the order of the array.

    Parameters
    ----------
    axis : int, dimension whose every index is searched by itself, -1 for the whole tensor
    whole : golden layer that finds places of a whole tensor of one dimension as the layer does for
        each index: of parts the first of the largest, or the last, if one is wanted; or None
    heap : layer that leaves the places of ``whole`` as it had them before it ranked them, where
        several are wanted; else None
    """

    axis:  int
    whole: object = None
    heap:  object = None
