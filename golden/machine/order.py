# SPDX-License-Identifier: Apache-2.0
"""Find unordered commands of a list that conflict in a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .machine import ProgramError

if TYPE_CHECKING:
    from xymac.hdl.isa import Command

    from .footprint import Footprint

__all__ = ["HazardError", "Order"]


class HazardError(ProgramError):
    """An unordered program run and transfer conflict in a word.

    Attributes
    ----------
    entry, other : int, the later and the earlier command in the list
    """

    def __init__(self, message: str, entry: int, other: int) -> None:
        super().__init__(message)
        self.entry, self.other = entry, other


class _Kind:
    """The runs or the transfers of a list, in list order."""

    def __init__(self) -> None:
        self.count  = 0   # commands so far
        self.waited = 0   # commands of the other kind that all commands of this kind wait for
        self.open   = []  # (index, entry, name, footprint) of those that the other kind may meet


class Order:
    """Commands in list order, each compared with all earlier commands for which it does not wait.

    Commands of a kind run in sequence. A command that waits for ``n`` commands of the other kind
    also waits for all commands for which these wait. So a command is ordered behind command number
    ``i`` of the other kind if it, or an earlier command of its kind, waits for more than ``i``.
    """

    def __init__(self) -> None:
        self._runs, self._moves = _Kind(), _Kind()

    def allows(self, command: Command) -> bool:
        """Whether ``command`` waits only for preceding commands."""
        return command.runs <= self._runs.count and command.moves <= self._moves.count

    def add(self, entry: int, command: Command, footprint: Footprint) -> None:
        """Add the next command, a RUN or a transfer; HazardError for a conflict."""
        own, other = self._moves, self._runs
        waits = command.runs
        if not command.is_move:
            own, other, waits = self._runs, self._moves, command.moves
        own.waited = max(own.waited, waits)
        other.open = [item for item in other.open if item[0] >= own.waited]
        name = command.opcode.name
        for _, before, named, used in other.open:
            region = footprint.conflict(used)
            if region is not None:
                raise HazardError(
                    f"Command {entry}, a {name}, must wait for command {before}, a {named}: both "
                    f"use the same words of {region.name}", entry, before)
        own.open.append((own.count, entry, name, footprint))
        own.count += 1
