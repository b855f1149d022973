# SPDX-License-Identifier: Apache-2.0
"""Results of a program and of a command list, and a device's error."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xymac.hdl.isa import COUNTERS, Flag, ListStatus, State, Status
from xymac.host.plural import plural

__all__ = ["DeviceError", "ListResult", "RunResult", "TraceRecord"]


class DeviceError(RuntimeError):
    """A device failed."""


@dataclass(frozen=True)
class TraceRecord:
    """A pass's trace.

    Parameters
    ----------
    counters : dict by ``COUNTERS``, program counts up to the pass's last step
    overflow : bool, whether a finished sum left the accumulator's range
    written : int, cycle at which its last result is written
    """

    counters: dict[str, int]
    overflow: bool
    written:  int


@dataclass(frozen=True, repr=False)
class RunResult:
    """A program's final state.

    Parameters
    ----------
    state, status, field, pass_index : status register fields
    counters : dict by ``COUNTERS``, from start to interrupt
    trace : list of TraceRecord, one per finished pass, in order
    """

    state:      State
    status:     Status
    field:      int
    pass_index: int
    flags:      Flag
    counters:   dict[str, int]
    trace:      list[TraceRecord]

    def __repr__(self) -> str:
        return (f"<RunResult: {self.state.name}, status {self.status.name}, "
                f"{plural(len(self.trace), 'pass', 'passes')}, "
                f"{self.counters[COUNTERS[0]]:,} cycles>")

    def check(self) -> None:
        """Raise DeviceError unless the program ran to its end."""
        if self.state is not State.DONE:
            raise DeviceError(f"The program stopped in state {self.state.name} at pass "
                              f"{self.pass_index} with status {self.status.name}, "
                              f"field {self.field}")

    def then(self, second: RunResult) -> RunResult:
        """RunResult for this program followed by ``second``.

        Counters are summed; passes are counted from the first program on.
        """
        cycles = self.counters["cycles"]
        trace  = [replace(record, counters=_add(self.counters, record.counters),
                          written=cycles + record.written) for record in second.trace]
        return replace(second, pass_index=len(self.trace) + second.pass_index,
                       flags=self.flags | second.flags, trace=[*self.trace, *trace],
                       counters=_add(self.counters, second.counters))


@dataclass(frozen=True)
class ListResult:
    """A command list's final state.

    Parameters
    ----------
    state, status, entry : list status register fields
    counters : dict by ``COUNTERS``, from start to interrupt
    """

    state:    State
    status:   ListStatus
    entry:    int
    counters: dict[str, int]

    def check(self) -> None:
        """Raise DeviceError unless the list ran to its end."""
        if self.state is not State.DONE:
            raise DeviceError(f"The command list stopped in state {self.state.name} at command "
                              f"{self.entry} with status {self.status.name}")


def _add(first, second):
    return {name: first[name] + second[name] for name in first}
