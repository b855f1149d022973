"""Reductions: scalars for later passes, folded from written elements or from operands.

``reduction`` is the block. Its ``heap`` ranks elements: ``census`` counts them, ``steps`` go down
the tree, ``nodes`` keep it. ``inverse`` divides. ``extremes`` finds the largest and the smallest
operand beside X memory.
"""

from .extremes import Extremes, Range
from .heap import Heap
from .reduction import Reduction, ReductionConfig, Scalars

__all__ = ["Extremes", "Heap", "Range", "Reduction", "ReductionConfig", "Scalars"]
