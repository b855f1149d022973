"""Layers that find places of largest elements: what plans need to search a tensor in parts."""

from dataclasses import dataclass

__all__ = ["Search"]


@dataclass(frozen=True)
class Search:
    """How a layer finds places, which count elements of its input in the order of the array.

    Parameters
    ----------
    axis : int, dimension whose every index is searched by itself, -1 for the whole tensor
    whole : golden layer that finds one place of a whole tensor of one dimension, where one place of
        each index is wanted: of parts the first of the largest, or the last, as of the whole; else
        None
    """

    axis:  int
    whole: object = None
