# SPDX-License-Identifier: Apache-2.0
"""Reductions: fold written elements or operands into scalars for later passes.

``reduction`` is the top block. Its ``heap`` ranks elements: ``census`` counts them, ``steps``
controls the way down the tree, ``nodes`` stores the tree. ``inverse`` divides. ``extremes`` finds
the maximum and minimum operand at the X memory.
"""

from .extremes import Extremes, Range
from .heap import Heap
from .reduction import Reduction, Scalars

__all__ = ["Extremes", "Heap", "Range", "Reduction", "Scalars"]
