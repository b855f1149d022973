# SPDX-License-Identifier: Apache-2.0
"""How a program run ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xymac.hdl.isa import State, Status

__all__ = ["Outcome", "ProgramError"]


class ProgramError(ValueError):
    """A program has no defined result: early reads, endless loops, passes beyond the limits."""


@dataclass(frozen=True)
class Outcome:
    """A program run's final state.

    Parameters
    ----------
    state, status, field, pass_index : status register fields
    overflow : tuple of bool, per pass before the end or the fault; True if any iteration overflowed
    flagged : bool, whether any finished pass overflowed
    """

    state:      State
    status:     Status
    field:      int
    pass_index: int
    overflow:   tuple[bool, ...]
    flagged:    bool
