"""From outputs and their addresses to steps of the array.

``issue`` decides what a cycle issues, with the parts in ``seat``, ``pace`` and ``operands``;
``gather`` and ``slide`` know the steps of these operations; ``dispatch`` stands in front.
"""

from .dispatch import Dispatch
from .gather import Gather
from .issue import Issue

__all__ = ["Dispatch", "Gather", "Issue"]
