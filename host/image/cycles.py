# SPDX-License-Identifier: Apache-2.0
"""Predicted cycles for a command list, from its program and transfer cycles."""

from collections import deque
from dataclasses import dataclass
from math import prod

from xymac.hdl.isa import Opcode
from xymac.host.cycles.model import execution_order, predict

from .entries import RunEntry
from .external import count_accesses
from .simulate import Work, simulate
from .space import REGION_OF

__all__ = ["ListCycles", "cycles_of", "predict_list", "start_times"]

#: Latencies of a command list in cycles.
_START = 23  # control register to the first command, beside the memory's latency
_DECODE_RUN, _DECODE, _DECODE_ROWS = 43, 69, 99  # a RUN, a transfer of a row, of several
_RUN   = 4   # end of a program to the next
_END   = 5   # last command to the interrupt
_WRITTEN = *REGION_OF.values(),  # memories with a write port that programs and transfers share


@dataclass(frozen=True)
class ListCycles:
    """A list's predicted cycles.

    Parameters
    ----------
    cycles : int, start to interrupt
    core, transfers : int, all programs alone, and all transfers alone
    loaded, stored : int, bytes from and to external memory
    idle : tuple of float, cycles without a program before each run and after the last
    """

    cycles:    int
    core:      int
    transfers: int
    loaded:    int
    stored:    int
    idle:      tuple = ()

    @property
    def hidden(self):
        """Transfer cycles hidden behind programs."""
        return max(0, self.core + self.transfers - self.cycles)


def cycles_of(entries, config, memory):
    """Cycles of each entry alone, a list."""
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
    """ListCycles for an Ordered on a CoreConfig with an ExternalMemory.

    Commands are fetched in list order. Programs run in sequence, and so do transfers; each command
    waits for its counts. A program's results have priority over words that a load writes to the
    same memory, which delays the load.
    """
    alone = cycles_of(ordered.entries, config, memory)
    end, _, idle = simulate(_works(ordered, alone, config, memory),
                            ahead=memory.ahead(config))
    moves = [entry for entry in ordered.entries if not isinstance(entry, RunEntry)]
    total = [sum(cycles for entry, cycles in zip(ordered.entries, alone, strict=True)
                 if isinstance(entry, RunEntry) is kind) for kind in (True, False)]
    end  += _END + (0 if alone else _START + _latency(memory))
    return ListCycles(round(end), *total, *(
        sum(move.bytes for move in moves if move.opcode is opcode)
        for opcode in (Opcode.LOAD, Opcode.STORE)), tuple(idle))


def start_times(ordered, config, memory):
    """Start cycles of an Ordered's entries without delays by queues, a list."""
    alone = cycles_of(ordered.entries, config, memory)
    return simulate(_works(ordered, alone, config, memory), queue=len(alone))[1]


def _works(ordered, alone, config, memory):
    """Works for an Ordered's entries; ``alone`` are the cycles of each entry alone."""
    works = []
    for entry, runs, moves, cycles in zip(ordered.entries, ordered.runs, ordered.moves, alone,
                                          strict=True):
        is_run = isinstance(entry, RunEntry)
        decode = _latency(memory) + (_DECODE_RUN if is_run else
                                     _DECODE if entry.rows == 1 else _DECODE_ROWS)
        if is_run:
            works.append(Work(True, decode, moves, _phases(entry.program, config),
                              predict(entry.program, config).issued / cycles))
        else:
            works.append(Work(False, decode, runs,
                              deque([[cycles, _writes(entry, cycles, config)]]), count_accesses(
                                  entry, config) / (2 * cycles)
                              if entry.opcode is Opcode.STORE else 0.0))
    if works:
        works[0].decode += _START
    return works


def _latency(memory):
    """Memory cycles until a command arrives."""
    return memory.latency + memory.miss + memory.fetch


def _writes(move, cycles, config):
    """Cycle shares in which a transfer writes to X and to Y."""
    return {move.region: 0.0 if move.opcode is Opcode.STORE or move.region not in _WRITTEN else
            count_accesses(move, config) / cycles}


def _phases(program, config):
    """Phases of a program, a deque of [cycles, {Region: share of cycles with a result}].

    There is a phase per pass; a program with a loop is a single phase.
    """
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
    """Cycle shares, by Region."""
    return {region: min(1.0, count / cycles) for region, count in counts.items()}
