# SPDX-License-Identifier: Apache-2.0
"""Predicted cycles of a command list, from the cycles of its programs and transfers."""

from dataclasses import dataclass

from xymac.hdl.isa import Opcode
from xymac.host.cycles.model import predict

from .entries import RunEntry

__all__ = ["ListCycles", "cycles_of", "predict_list"]

#: Latencies of a command list in cycles.
_START = 40  # control register to the first command
_FETCH = 16  # between two commands, at least
_RUN   = 4   # end of a program to the next
_END   = 4   # last command to the interrupt
_QUEUE = 4   # commands of a kind that are fetched ahead


@dataclass(frozen=True)
class ListCycles:
    """Predicted cycles of a list.

    Parameters
    ----------
    cycles : int, start to interrupt
    core, transfers : int, all programs alone, and all transfers alone
    loaded, stored : int, bytes from and to external memory
    """

    cycles:    int
    core:      int
    transfers: int
    loaded:    int
    stored:    int

    @property
    def hidden(self):
        """Cycles of transfers behind programs."""
        return max(0, self.core + self.transfers - self.cycles)


def cycles_of(entries, config, memory):
    """List of the cycles of each entry by itself."""
    cycles, known = [], {}
    for entry in entries:
        if isinstance(entry, RunEntry):
            key = id(entry.program)
            known[key] = known.get(key) or predict(entry.program, config).cycles
            cycles.append(known[key])
        else:
            cycles.append(memory.cycles(entry, config.dma))
    return cycles


def predict_list(ordered, config, memory):
    """ListCycles of an Ordered on a CoreConfig with an ExternalMemory.

    Commands are fetched in list order, at most ``_QUEUE`` of a kind ahead; those of a kind follow
    one another, and each waits for its counts.
    """
    alone = cycles_of(ordered.entries, config, memory)
    ends  = {True: [], False: []}  # of runs, of transfers
    begun = {True: [], False: []}
    fetch = _START
    for entry, runs, moves, cycles in zip(ordered.entries, ordered.runs, ordered.moves, alone,
                                          strict=True):
        kind, wait = (True, moves) if isinstance(entry, RunEntry) else (False, runs)
        own, other = ends[kind], ends[not kind]
        if len(begun[kind]) >= _QUEUE:
            fetch = max(fetch, begun[kind][-_QUEUE])
        fetch += _FETCH
        start = max(fetch, own[-1] if own else 0, other[wait - 1] if wait else 0)
        begun[kind].append(start)
        own.append(start + cycles + _RUN * kind)
    moves = [entry for entry in ordered.entries if not isinstance(entry, RunEntry)]
    total = [[cycles for entry, cycles in zip(ordered.entries, alone, strict=True)
              if isinstance(entry, RunEntry) is kind] for kind in (True, False)]
    return ListCycles(
        max([fetch, *ends[True][-1:], *ends[False][-1:]]) + _END, *map(sum, total),
        *(sum(move.bytes for move in moves if move.opcode is opcode)
          for opcode in (Opcode.LOAD, Opcode.STORE)))
