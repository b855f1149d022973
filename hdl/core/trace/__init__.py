# SPDX-License-Identifier: Apache-2.0
"""Program trace: event counters, a record per pass, and flags.

``counters`` holds the trace memory and one or two counter banks (``bank``); ``schedule`` selects
the counter to visit. ``notes`` identifies the passes and keeps the flags.
"""

from .counters import Counters
from .notes import Notes

__all__ = ["Counters", "Notes"]
