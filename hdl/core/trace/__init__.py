"""What a program did: counters, a record of every pass in the trace, flags."""

from .counters import Counters
from .notes import Notes

__all__ = ["Counters", "Notes"]
