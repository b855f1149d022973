# SPDX-License-Identifier: Apache-2.0
"""Issue: turn outputs and their addresses into steps of the MAC array.

``dispatch`` distributes the outputs. ``issue`` selects the slot of each cycle; its parts are
``seat``, ``pace`` and ``operands``. ``gather`` and ``slide`` track the steps of these operations.
"""

from .dispatch import Dispatch
from .gather import Gather
from .issue import Issue

__all__ = ["Dispatch", "Gather", "Issue"]
