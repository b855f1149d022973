# SPDX-License-Identifier: Apache-2.0
"""Cycle model: predicted program cost from its passes."""

import numpy as np

from xymac.hdl.config import trace_words_at_once, words_at_once
from xymac.hdl.isa import (
    BANKS,
    COUNTERS,
    PASS_WORDS,
    Memory,
    Op,
    Reduce,
    Scale,
    Table,
    bias_rows,
    records,
)
from xymac.host.errors import check_type
from xymac.host.sizes import read_config

from .loops import Prediction, count_taps, execution_order
from .microprogram import predict_microprogram

__all__ = ["PIPELINE", "Prediction", "execution_order", "predict"]

#: Core latencies in cycles; all other costs follow from the pass loops.
PIPELINE = {
    "start":    1,   # start to the first slot being free
    "claim":    1,   # free slot to the fetch of a pass
    "fetch":    6,   # fetch and check of a pass, without its memory lines
    "turn":     1,   # additional fetch cycles after a pass at the end of a loop
    "lead":     17,  # pass launch to its first output's first addresses
    "seat":     9,   # pass launch to its first output's first parameters
    "walk":     4,   # between outputs in the output loops
    "relaunch": 1,   # output loop end to the next pass's launch
    "ahead":    3,   # outputs by which the output loops lead the address generators
    "buffer":   16,  # addresses by which the address generators lead the array
    "settle":   41,  # last step of an output with BANKS beats to its readable first column
    "y_sooner": 6,   # the same for Y is shorter by this
    "drain":    41,  # last step of a pass to its first column's write
    "switch":   13,  # last step of a pass to a mode switch
    "scale":    10,  # additional cycles of both for scaled sums
    "short":    12,  # cycles saved in both by sums that bypass the table
    "trace":    1,   # between last steps of passes, without the trace record
    "kept":     1,   # end of a wait to the parameters of its pass while another pass writes Y
    "free":     3,   # write to Y to the parameters that wait for it
    "retire":   2,   # write of a pass to its free slot
    "resume":   6,   # last step of a saving pass to the first step of a restoring pass
    "divide":   17,  # write of a sum's last vector to its inverse, without the skew
    "rank":     41,  # write of the last ranked vector to its end in the heap
    "pop":      16,  # write of the last popping vector to the next known root
    "end":      3,   # last write of a program to the interrupt
}
#: Heap cycles per inserted element, and per popped root.
_RANK, _POP = 3, 5


_OUTPUTS = 64  #: Outputs after which the lead of the output loops is constant.


def predict(program, config):
    """Predict the cycles of a list of linked passes on a core; returns a Prediction.

    An output costs its valid taps, but at least its drain cycles; a vector's first output also
    costs its parameters. The array starves at the start of a pass if the output loops cannot run
    ahead. It stalls until all results are written at a pass that waits; for a while at a pass with
    a different scaling or rounding mode; and at a pass that restores accumulators until they are
    saved. With a heap reduction an output costs at least the heap's cycles for its elements.
    Microprogrammed cores have a separate model, see ``microprogram``.
    """
    config = read_config(config)
    check_type("program", program, list, tuple, hint=", of passes: a plan has one")
    if not config.capabilities.parallel:
        return predict_microprogram(program)
    clock, last = _Clock(config), {}
    for index in execution_order(program):
        last[index] = clock.run(program[index])
    return Prediction(clock.flight + clock.drain + PIPELINE["end"], clock.issued,
                      tuple(last[index] for index in range(len(program))))


class _Clock:
    """Scoreboard: last steps of the passes so far, and the resulting events.

    Attributes
    ----------
    drain : int, cycles from a pass's last step to its last column's write; columns are ``BANKS``
        cycles apart in the reduction
    flight : int, cycle at which the last sums would issue if they used a table and no scaling
    issued : int, steps
    """

    def __init__(self, config):
        self._ways, self._slots = config.ways, config.slots
        self._rows = bias_rows(config.ways)
        self._record = PIPELINE["trace"] - -len(COUNTERS) // trace_words_at_once(config.passes)
        self._fetch = PIPELINE["fetch"] + PASS_WORDS // words_at_once(config.passes)
        adders = config.ways.bit_length() - 1
        self.drain    = PIPELINE["drain"] + adders + config.ways - 1
        self._folded  = PIPELINE["drain"] + adders + BANKS * (config.ways - 1)
        self._inverse = self._folded + PIPELINE["divide"]
        self._extreme = max(0, BANKS * (config.ways - 1) - 3)
        self._settle  = PIPELINE["settle"] + adders + 1
        self.flight = self.issued = 0
        self._walked = self._done = self._written = self._held = self._ranked = 0
        self._gap = self._apart = 0
        self._fetched, self._ends = 0, []
        self._ends_in_y = []  # ends of the last passes that write Y
        self._summed = 0  # cycle at which the scalars of sums and extremes are known
        self._looked = -self._settle  # last issue cycle of a sum without the bypass
        self._mode = None  # how sums are narrowed

    def run(self, pass_):
        """Cycle in which a pass issues its last step."""
        launch = self._launch()
        self._fetched += PIPELINE["turn"] * bool(pass_.control.repeat)
        steps, bias = _steps(pass_), _lead(records(pass_), self._rows)
        switch = bool(self._ends) and _mode(pass_) != self._mode
        turn   = self._done + PIPELINE["switch"] if switch else 0
        held   = bias and pass_.control.wait and self._writes_y()  # records only then
        costs  = _costs(pass_, steps, self._rows, 0 if held or switch else self._gap)
        self._apart = _space(pass_, costs, self._apart, self._ways)
        self._gap, self._mode = _gap(steps, bias), _mode(pass_)

        lead  = launch + PIPELINE["lead"]
        alone = int(steps.flat[0])
        read  = max(0, bias - 1)  # waiting parameter reads, from the cycle before a step
        # A three-row parameter set is in flight before its last row is read.
        begin = bias - (self._rows > 2 and records(pass_) > 1)
        ready = self._ready(pass_)
        freed = min(max(ready, launch + PIPELINE["seat"]) + PIPELINE["kept"],
                    max(self._ends_in_y) + self.drain + PIPELINE["free"]) if held else 0
        first = max(self._done + int(costs[0]), turn + read + alone,
                    ready + alone, freed + read * held + alone,
                    lead + alone - 1, launch + PIPELINE["seat"] + begin + alone - 1)
        late = 0
        if first == lead + alone - 1 and not pass_.accumulate.hold:
            late = _late(steps, _lead(1, self._rows) if pass_.epilogue.once else bias, costs, lead)
        self._finish(pass_, first + int(costs[1:].sum()) + late, self._is_short(
            pass_, first, costs))
        behind = costs[max(1, costs.size - PIPELINE["ahead"]):].sum() + PIPELINE["buffer"]
        self._walked = max(launch + PIPELINE["walk"] * costs.size, self._done - int(behind))
        self.issued += int(steps.sum())
        return self._done

    def _writes_y(self):
        """Whether an unfinished pass writes Y, which may hold the parameters."""
        return any(end + self.drain > self._done for end in self._ends_in_y)

    def _launch(self):
        """Earliest launch cycle for the next pass: it is fetched, and the preceding pass's loops
        have ended.
        """
        free = PIPELINE["start"]
        if len(self._ends) >= self._slots:
            free = self._ends[-self._slots] + self.drain + PIPELINE["retire"]
        self._fetched = max(self._fetched, free + PIPELINE["claim"]) + self._fetch
        return max(self._fetched, self._walked + PIPELINE["relaunch"])

    def _ready(self, pass_):
        """Cycle at which a pass has nothing left to wait for."""
        ready = 0
        if self._ends and pass_.control.wait:
            ready = max(ready, self._ranked, self._summed, self._written + self._settle)
        if pass_.accumulate.resume:
            ready = max(ready, self._held + PIPELINE["resume"])
        return ready

    def _is_short(self, pass_, first, costs):
        """Whether a pass's last sums bypass the table delay; ``first`` is its first issue cycle.

        Sums stay on the bypass until a sum with a table has been in flight.
        """
        if pass_.epilogue.table is not Table.NONE:
            return False
        return (first > self._looked + self._settle - 1
                or int(costs[1:].max(initial=0)) > self._settle)

    def _finish(self, pass_, done, short):
        """Record that a pass issues its last step in cycle ``done``, delayed by the trace if
        necessary.
        """
        self._done  = max(done, self._done + self._record * bool(self._ends))
        self.flight = (self._done + PIPELINE["scale"] * _is_scaled(pass_)
                       - PIPELINE["short"] * short)
        if not short:
            self._looked = self.flight
        spared = 0 if pass_.accumulate.op is Op.GATHER else BANKS - pass_.epilogue.beats
        if pass_.reduction.reduce is Reduce.SUM:
            self._summed = self.flight + self._inverse - BANKS + pass_.epilogue.beats
        if pass_.reduction.reduce in (Reduce.MAX, Reduce.MIN):
            self._summed = self.flight + self._settle + self._extreme - spared
        self._ranked = max(self._ranked, self.flight + _rank(pass_, self._folded, self._ways))
        if pass_.accumulate.hold:
            self._held = self._done
        else:
            sooner = pass_.epilogue.z_memory is Memory.Y and pass_.reduction.reduce is Reduce.NONE
            self._written = max(self._written,
                                self.flight - spared - PIPELINE["y_sooner"] * sooner)
        self._ends.append(self.flight)
        if pass_.epilogue.z_memory is Memory.Y:
            self._ends_in_y = [*self._ends_in_y[1 - self._slots:], self.flight]


def _mode(pass_):
    """The mode of a pass's sums; passes with different modes must not overlap."""
    accumulate, epilogue = pass_.accumulate, pass_.epilogue
    rounding = _is_scaled(pass_) and epilogue.rounding
    return epilogue.scale, accumulate.op is Op.SHARE, rounding, accumulate.floor


def _is_scaled(pass_):
    """Whether a pass's sums go through the scale units."""
    return pass_.epilogue.scale is not Scale.NONE or pass_.accumulate.op is Op.SHARE


def _space(pass_, costs, before, ways):
    """Raise the outputs' ``costs`` to the heap's minimum; returns that minimum.

    ``before`` is the previous pass's minimum, for the first output.
    """
    apart = 0
    if pass_.reduction.reduce in (Reduce.RANK, Reduce.POP):
        apart = max(_POP, ways * _RANK)
    costs[0]  = max(costs[0], before)
    costs[1:] = np.maximum(costs[1:], apart)
    return apart


def _rank(pass_, drain, ways):
    """Cycles from a pass's last step until the heap is ready; 0 for other passes."""
    if pass_.reduction.reduce is Reduce.POP:  # of the first column
        return drain - BANKS * (ways - 1) + PIPELINE["pop"]
    return drain + PIPELINE["rank"] if pass_.reduction.reduce is Reduce.RANK else 0


def _lead(count, rows):
    """Cycles from a vector's first parameter set (``count`` in all) to its first step, without
    stalls.

    A parameter set takes a slot to reach the columns, and ``BANKS`` cycles until the next is read.
    """
    return count * rows + BANKS * max(0, count - 1)


def _steps(pass_):
    """Every output's steps: int64 [outer loop a, outputs of loops b and c]."""
    steps = np.outer(*count_taps(pass_)).ravel() * pass_.loop.taps[2]
    return np.tile(steps, (pass_.loop.outer[0], 1))


def _gap(steps, bias):
    """Cycles after a vector's last step during which no bias can be read.

    The lanes need the last output's bias for ``BANKS`` cycles from its first step on.
    """
    last, alone = int(steps.flat[-1]), bias and steps.shape[1] == 1
    return max(0, BANKS - last) if alone or last == 1 else 0


def _late(steps, bias, costs, arrived):
    """Delay of a pass's first outputs while the output loops are not ahead, in cycles.

    The first output's addresses arrive at ``arrived``, further addresses ``walk`` cycles apart.
    Once an output waits for a longer cost, the loops stay ahead. ``bias`` is the ``_lead`` for the
    vectors after the first.
    """
    size   = steps.shape[1]
    steps  = steps.ravel()
    start  = arrived
    last   = wanted = arrived + int(steps[0]) - 1
    ahead  = 0
    for index in range(1, min(steps.size, _OUTPUTS)):
        arrived += PIPELINE["walk"]
        ready    = last + 1
        if bias and index % size == 0:
            ready += bias + max(0, start + BANKS - ready)
        start  = max(ready, arrived)
        last   = max(start + int(steps[index]) - 1, last + BANKS)
        wanted = wanted + int(costs[index])
        ahead  = ahead + 1 if arrived <= ready else 0
        if ahead == 2:
            break
    return max(0, last - wanted)


def _costs(pass_, steps, rows, gap):
    """Cycles between consecutive outputs' last steps, one per output.

    ``gap`` is the preceding pass's ``_gap``.
    """
    costs, bias = steps.copy(), _lead(records(pass_), rows)
    if bias:
        # The slot of the first parameters must not come too soon after the last step either.
        least = BANKS - 1 - rows if pass_.epilogue.scale is not Scale.NONE else 0
        costs[0, 0]  += bias + max(least, gap)
        costs[1:, 0] += (_lead(1, rows) + _gap(steps, bias) if pass_.epilogue.once else
                         bias + max(least, _gap(steps, bias)))
    return np.maximum(costs, BANKS).ravel()
