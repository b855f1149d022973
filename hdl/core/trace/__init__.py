"""What a program did: counters, a record of every pass in the trace, flags.

``counters`` holds the ``bank`` or the two that count, and the trace; ``schedule`` says which
counters are visited. ``notes`` names the passes and keeps the flags.
"""

from .counters import Counters
from .notes import Notes

__all__ = ["Counters", "Notes"]
