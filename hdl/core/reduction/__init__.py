"""What folds the elements that passes write, or what steps read, into scalars for later passes.

``reduction`` is the block; of its parts ``heap`` ranks, with ``census`` that judges items and
``nodes`` that move, and ``inverse`` divides. ``extremes`` stands beside X and finds what a range
takes.
"""

from .extremes import Extremes, Range
from .heap import Heap
from .reduction import Reduction, ReductionConfig, Scalars

__all__ = ["Extremes", "Heap", "Range", "Reduction", "ReductionConfig", "Scalars"]
