# SPDX-License-Identifier: Apache-2.0
"""Predicted cycles of a command list, from the cycles of its programs and transfers."""

from collections import deque
from dataclasses import dataclass
from math import prod

from xymac.hdl.isa import Opcode
from xymac.host.cycles.model import execution_order, predict

from .entries import RunEntry

__all__ = ["ListCycles", "cycles_of", "predict_list"]

#: Latencies of a command list in cycles.
_START = 18  # control register to the first command, beside the memory's latency
_FETCH = 8   # between two commands, at least
_RUN   = 4   # end of a program to the next
_END   = 4   # last command to the interrupt
_WORD  = 4     # bytes that a load writes at once
_LEAST = 0.05  # share of the cycles that results leave to loads
_DONE  = 1e-6  # cycles


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

    Commands are fetched in list order; those of a kind follow one another, and each waits for its
    counts. Results of a program come before the words of a load, which it slows down.
    """
    alone  = cycles_of(ordered.entries, config, memory)
    fetch  = _START + memory.latency + memory.miss + memory.fetch
    queues = {True: deque(), False: deque()}  # of runs, of transfers
    for number, (entry, runs, moves, cycles) in enumerate(zip(
            ordered.entries, ordered.runs, ordered.moves, alone, strict=True)):
        is_run = isinstance(entry, RunEntry)
        queues[is_run].append(_Waiting(
            fetch + _FETCH * number, moves if is_run else runs, cycles + _RUN * is_run,
            _results(entry.program) / cycles if is_run else 0 if entry.opcode is Opcode.STORE
            else entry.bytes / (_WORD * cycles)))
    moves = [entry for entry in ordered.entries if not isinstance(entry, RunEntry)]
    total = [sum(cycles for entry, cycles in zip(ordered.entries, alone, strict=True)
                 if isinstance(entry, RunEntry) is kind) for kind in (True, False)]
    end   = max(_simulate(queues), fetch + _FETCH * (len(alone) - 1)) + _END
    return ListCycles(round(end), *total, *(
        sum(move.bytes for move in moves if move.opcode is opcode)
        for opcode in (Opcode.LOAD, Opcode.STORE)))


@dataclass
class _Waiting:
    """A command that waits or works.

    Parameters
    ----------
    fetched : float, cycle
    after : int, commands of the other kind that end before
    left : float, cycles of work
    writes : float, share of the cycles in which it writes to the core
    """

    fetched: float
    after:   int
    left:    float
    writes:  float


def _results(program):
    """Vectors that a program writes."""
    return sum(prod(program[index].loop.outer) * program[index].epilogue.beats
               for index in execution_order(program) if not program[index].accumulate.hold)


def _simulate(queues):
    """Cycle in which the last command ends."""
    now, ended, active = 0.0, {True: 0, False: 0}, {True: None, False: None}
    while queues[True] or queues[False] or any(active.values()):
        times = []
        for kind, queue in queues.items():
            if active[kind] is None and queue and ended[not kind] >= queue[0].after:
                if queue[0].fetched <= now:
                    active[kind] = queue.popleft()
                else:
                    times.append(queue[0].fetched - now)
        run, move = active[True], active[False]
        rates = {True: 1.0, False: 1.0}
        if run and move and move.writes:
            rates[False] = min(1.0, max(_LEAST, 1 - run.writes) / move.writes)
        times += [work.left / rates[kind] for kind, work in active.items() if work]
        now  += min(times)
        for kind, work in active.items():
            if work:
                work.left -= min(times) * rates[kind]
                if work.left < _DONE:
                    active[kind], ended[kind] = None, ended[kind] + 1
    return now
