# SPDX-License-Identifier: Apache-2.0
"""Program trace: event counters, a record per pass, and flags.

``trace`` is the top block. ``counters`` holds the trace memory and its counter banks, a single
bank or two (``bank``); ``schedule`` selects the counter to visit. ``notes`` identifies the passes
and keeps the flags; ``write_monitor`` compares host writes with the windows of passes. ``lists``
counts over the programs of a DMA's list.
"""

from .counters import Counters
from .notes import Notes
from .trace import Trace
from .write_monitor import WriteMonitor, Wrote

__all__ = ["Counters", "Notes", "Trace", "WriteMonitor", "Wrote"]
