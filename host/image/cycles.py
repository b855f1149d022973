# SPDX-License-Identifier: Apache-2.0
"""Predicted cycles of a command list, from the cycles of its programs and transfers."""

from collections import deque
from dataclasses import dataclass
from math import prod

from xymac.hdl.isa import Opcode
from xymac.host.cycles.model import execution_order, predict

from .entries import RunEntry
from .external import count_accesses
from .space import REGION_OF

__all__ = ["ListCycles", "cycles_of", "predict_list"]

#: Latencies of a command list in cycles.
_START = 18  # control register to the first command, beside the memory's latency
_FETCH = 8   # between two commands, at least
_RUN   = 4   # end of a program to the next
_END   = 4   # last command to the interrupt
_DONE  = 1e-6  # cycles
_WRITTEN = *REGION_OF.values(),  # memories with a write port that programs and transfers share


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
            cycles.append(memory.cycles(entry, config))
    return cycles


def predict_list(ordered, config, memory):
    """ListCycles of an Ordered on a CoreConfig with an ExternalMemory.

    Commands are fetched in list order; those of a kind follow one another, and each waits for its
    counts. Results of a program come before the words that a load writes to the same memory, which
    slows it down.
    """
    alone  = cycles_of(ordered.entries, config, memory)
    fetch  = _START + memory.latency + memory.miss + memory.fetch
    queues = {True: deque(), False: deque()}  # of runs, of transfers
    for number, (entry, runs, moves, cycles) in enumerate(zip(
            ordered.entries, ordered.runs, ordered.moves, alone, strict=True)):
        is_run = isinstance(entry, RunEntry)
        phases = (_phases(entry.program, config) if is_run
                  else deque([[cycles, _writes(entry, cycles, config)]]))
        reads  = 0.0
        if is_run:
            reads = predict(entry.program, config).issued / cycles
        elif entry.opcode is Opcode.STORE:
            reads = count_accesses(entry, config) / (2 * cycles)
        queues[is_run].append(_Waiting(fetch + _FETCH * number, moves if is_run else runs, phases,
                                       reads))
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
    phases : deque of lists: cycles left, and the shares of them in which it writes to X and to Y
    reads : float, share of the cycles in which a program has a step, or a store reads X
    """

    fetched: float
    after:   int
    phases:  deque
    reads:   float = 0.0

    @property
    def left(self):
        """Cycles of the present phase."""
        return self.phases[0][0]

    @property
    def writes(self):
        """Shares of the present phase, by Region."""
        return self.phases[0][1]

    def work(self, cycles):
        """Advance; returns whether the command has ended."""
        self.phases[0][0] -= cycles
        if self.left < _DONE:
            self.phases.popleft()
        return not self.phases


def _writes(move, cycles, config):
    """Shares of the cycles of a transfer in which it writes to X and to Y."""
    return {move.region: 0.0 if move.opcode is Opcode.STORE or move.region not in _WRITTEN else
            count_accesses(move, config) / cycles}


def _phases(program, config):
    """A phase for each pass of a program: its cycles, and the shares in which results come."""
    predicted, order = predict(program, config), list(execution_order(program))
    results = [{} if program[index].accumulate.hold else {
        REGION_OF[program[index].epilogue.z_memory]:
        prod(program[index].loop.outer) * program[index].epilogue.beats} for index in order]
    if len(order) > len(program):  # a loop: the ends of its passes are known for the last round
        total = {region: sum(each.get(region, 0) for each in results) for region in _WRITTEN}
        return deque([[predicted.cycles + _RUN, _shares(total, predicted.cycles)]])
    phases, before = deque(), 0
    for end, counts in zip(predicted.passes, results, strict=True):
        if end > before:
            phases.append([end - before, _shares(counts, end - before)])
            before = end
    phases.append([predicted.cycles + _RUN - before, {}])
    return phases


def _shares(counts, cycles):
    """Shares of some cycles, by Region."""
    return {region: min(1.0, count / cycles) for region, count in counts.items()}


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
        rates  = dict(zip((True, False), _rates(active[True], active[False]), strict=True))
        times += [work.left / rates[kind] for kind, work in active.items() if work and rates[kind]]
        now   += min(times)
        for kind, work in active.items():
            if work and work.work(min(times) * rates[kind]):
                active[kind], ended[kind] = None, ended[kind] + 1
    return now


def _rates(run, move):
    """Rates of a program and of a transfer beside it: its results go before the words of a load
    into the same memory, and a read of a store takes the cycle of a step.
    """
    if not (run and move):
        return 1.0, 1.0
    if move.reads:
        return 1 - move.reads * run.reads, 1.0
    return 1.0, min([1.0, *((1 - run.writes.get(region, 0.0)) / share
                            for region, share in move.writes.items() if share)])
