# SPDX-License-Identifier: Apache-2.0
"""Planted faults of a device in Python, each with the sentence that the report must have.

Faults at places are in ``where.test_locate``; a tenth of all is Verilog, in ``tests.sim.kit``.
"""

from functools import lru_cache

import pytest

from tests.support.seed import SEED
from xymac.host.kit.device.adapter import Adapter, Supports
from xymac.host.kit.device.functions import ask_functions
from xymac.host.kit.report.outcome import judge
from xymac.host.kit.rounding import Limit, Rounding
from xymac.host.kit.rule import Rule, When, Zero
from xymac.host.kit.ruled import run
from xymac.host.kit.stimuli.tasks import list_tasks

#: Cases of an operation, as many as in the default run; of seed 0 fewer are enough.
MANY   = 100  #: Cases of a default run of the kit.
CASES  = MANY if SEED.thorough or not SEED.is_default else 40
LEAST  = 60  #: Faults of the matrix.
UNIT   = ("requantise", "tflm", "int8")
DENSE  = ("fully_connected", "tflm", "int8")
CONV   = ("conv2d", "tflm", "int8")
DEPTH  = ("depthwise_conv2d", "tflm", "int8")
POOL   = ("average_pool", "tflm", "int8")
ADD    = ("add", "tflm", "int8")
SUB    = ("sub", "tflm", "int16")
MUL    = ("mul", "tflm", "int8")
MUL1   = ("mul", "mli-1", "fx16")
MUL2   = ("mul", "mli-2", "sa8")
UNIT1  = ("requantise", "mli-1", "fx16")
CONV2  = ("conv2d", "mli-2", "sa8")
POOL3  = ("average_pool", "xs3", "int8")
WIDE   = ("conv2d", "tflm", "int16")
TILE   = ("accumulate", "tflm", "int8")
LSTM   = ("lstm", "tflm", "int8")
SVDF   = ("svdf", "tflm", "int8")
LSTM1  = ("lstm", "mli-1", "fx16")
RNN    = ("rnn", "mli-1", "fx8")
GRU    = ("gru", "mli-2", "fx16")
MLI1   = ("fully_connected", "mli-1", "fx16")
MLI2   = ("fully_connected", "mli-2", "sa8")
XS3    = ("fully_connected", "xs3", "int8")
SAT, WRAP = Limit.SATURATE, Limit.WRAP

FAULTS = [
    (UNIT, Rule(first=Rounding.FLOOR), "cuts the first shift without rounding"),
    (UNIT, Rule(first=Rounding.NUDGED),
     "rounds the first shift by a nudge of its sign and a shift in place of a division"),
    (UNIT, Rule(last=Rounding.FLOOR), "cuts the second shift without rounding"),
    (UNIT, Rule(last=Rounding.UP), "rounds the second shift half up"),
    (UNIT, Rule(last=Rounding.CONVERGENT), "rounds the second shift half to even"),
    (UNIT, Rule(last=Rounding.ZERO), "rounds the second shift towards zero"),
    (UNIT, Rule(once=True, last=Rounding.UP), "rounds once, half up, after one shift"),
    (UNIT, Rule(once=True, last=Rounding.AWAY), "rounds once, half away from zero, after one"),
    (UNIT, Rule(zero=Zero.CLIPPED), "saturates before it adds the zero point"),
    (UNIT, Rule(zero=Zero.WRAPPED), "saturates before it adds the zero point, which wraps"),
    (UNIT, Rule(multiplier_bits=16), "cuts the multiplier to 16 bits"),
    (UNIT, Rule(multiplier_bits=16, multiplier_rounding=Rounding.UP),
     "rounds the multiplier to 16 bits"),
    (UNIT, Rule(once=True, last=Rounding.UP, multiplier_bits=16),
     "rounds once, half up, after one shift, cuts the multiplier to 16 bits"),
    (UNIT, Rule(middle_bits=16, middle_limit=WRAP), "wraps the result of the first shift at 16"),
    (UNIT, Rule(middle_bits=16, middle_limit=SAT),
     "saturates the result of the first shift at 16 bits"),
    (UNIT, Rule(left_after=True), "shifts left after the multiplication"),
    (UNIT, Rule(acc_bits=24, acc_limit=WRAP), "wraps the sum at 24 bits"),
    (UNIT, Rule(out=WRAP), "wraps the output"),
    (UNIT, Rule(out=Limit.SYMMETRIC), "clips to plus or minus the highest output"),
    (UNIT, Rule(activation=False), "ignores the limits of the activation"),
    (DENSE, Rule(acc_bits=24, acc_limit=WRAP), "wraps the sum at 24 bits"),
    (DENSE, Rule(acc_bits=20, acc_limit=WRAP), "wraps the sum at 20 bits"),
    (DENSE, Rule(acc_bits=20, acc_limit=SAT, when=When.STEP),
     "saturates the sum at 20 bits after every product;"),
    (DENSE, Rule(bias_bits=16, bias_limit=WRAP), "wraps the bias at 16 bits"),
    (DENSE, Rule(bias_bits=24, bias_limit=SAT), "saturates the bias at 24 bits"),
    (DENSE, Rule(bias_after=True), "adds the bias after the rounding"),
    (DENSE, Rule(unsigned_weights=True), "takes weights as unsigned"),
    (DENSE, Rule(unsigned_inputs=True), "takes inputs as unsigned"),
    (DENSE, Rule(raw_inputs=True), "ignores the zero point of the inputs"),
    (CONV, Rule(raw_inputs=True), "ignores the zero point of the inputs"),
    (CONV2, Rule(raw_inputs=True), "ignores the zero point of the inputs"),
    (LSTM, Rule(raw_inputs=True), "ignores the zero point of the inputs"),
    (DENSE, Rule(folded=True, bias_bits=16, bias_limit=WRAP),
     "takes the zero point of the input from the bias, wraps the bias at 16 bits"),
    (CONV, Rule(padding=True), "pads with 0 instead of the zero point"),
    (DEPTH, Rule(acc_bits=18, acc_limit=WRAP), "wraps the sum at 18 bits"),
    (POOL, Rule(last=Rounding.ZERO), "rounds towards zero"),
    (POOL, Rule(last=Rounding.FLOOR), "shifts right without rounding"),
    (POOL, Rule(counted=True), "counts padding in the mean"),
    (ADD, Rule(apart=True), "rounds each input to the output before it adds them"),
    (ADD, Rule(inputs=Rounding.FLOOR), "cuts each input without rounding"),
    (MUL, Rule(last=Rounding.FLOOR), "cuts the second shift without rounding"),
    (MUL, Rule(zero=Zero.CLIPPED), "saturates before it adds the zero point"),
    (MLI1, Rule(last=Rounding.FLOOR), "shifts right without rounding"),
    (MLI1, Rule(out=WRAP), "wraps the output"),
    (MLI1, Rule(acc_bits=32, acc_limit=WRAP), "wraps the sum at 32 bits"),
    (MLI2, Rule(acc_bits=24, acc_limit=WRAP), "wraps the sum at 24 bits"),
    (XS3, Rule(out=WRAP), "wraps the output"),
    (MUL1, Rule(last=Rounding.UP), "rounds half up"),
    (MUL1, Rule(last=Rounding.AWAY), "rounds half away from zero"),
    (MUL1, Rule(last=Rounding.FLOOR), "shifts right without rounding"),
    (MUL1, Rule(out=WRAP), "wraps the output"),
    (MUL2, Rule(first=Rounding.FLOOR), "cuts the first shift without rounding"),
    (MUL2, Rule(last=Rounding.AWAY), "rounds the second shift half away from zero"),
    (MUL2, Rule(last=Rounding.FLOOR), "cuts the second shift without rounding"),
    (MUL2, Rule(middle_bits=12, middle_limit=WRAP), "wraps the result of the first shift at 12"),
    (MUL2, Rule(zero=Zero.CLIPPED), "saturates before it adds the zero point"),
    (MUL2, Rule(out=Limit.SYMMETRIC), "clips to plus or minus the highest output"),
    (SUB, Rule(inputs=Rounding.FLOOR), "cuts each input without rounding"),
    (UNIT1, Rule(last=Rounding.DOWN), "rounds half down"),
    (CONV2, Rule(multiplier_bits=8), "cuts the multiplier to 8 bits"),
    (CONV2, Rule(bias_bits=24, bias_limit=WRAP), "wraps the bias at 24 bits"),
    (POOL3, Rule(last=Rounding.FLOOR), "shifts right without rounding"),
    (WIDE, Rule(acc_bits=36, acc_limit=WRAP), "wraps the sum at 36 bits"),
    (WIDE, Rule(multiplier_bits=15), "cuts the multiplier to 15 bits"),
    (TILE, Rule(acc_bits=24, acc_limit=SAT, when=When.STEP), "saturates the sum at 24 bits after"),
    (LSTM, Rule(acc_bits=24, acc_limit=WRAP), "wraps the sum at 24 bits"),
    (LSTM, Rule(acc_bits=20, acc_limit=SAT, when=When.END), "saturates the sum at 20 bits"),
    (LSTM, Rule(last=Rounding.FLOOR), "cuts the second shift without rounding"),
    (LSTM, Rule(bias_bits=16, bias_limit=WRAP), "wraps the bias at 16 bits"),
    (LSTM, Rule(unsigned_weights=True), "takes weights as unsigned"),
    (SVDF, Rule(acc_bits=24, acc_limit=SAT, when=When.STEP), "saturates the sum at 24 bits"),
    (SVDF, Rule(once=True, last=Rounding.UP), "rounds once, half up, after one shift"),
    (LSTM1, Rule(acc_bits=32, acc_limit=WRAP), "wraps the sum at 32 bits"),
    (LSTM1, Rule(last=Rounding.UP), "rounds half up"),
    (RNN, Rule(last=Rounding.FLOOR), "shifts right without rounding"),
    (RNN, Rule(bias_bits=24, bias_limit=SAT), "saturates the bias at 24 bits"),
    (GRU, Rule(acc_bits=32, acc_limit=SAT, when=When.END), "saturates the sum at 32 bits")]


#: Cases of operations that need another number: cells that take long, and rare sums.
_COUNTS = {} if SEED.thorough or not SEED.is_default else {
    LSTM: 12, GRU: 12, SVDF: 100, RNN: 100, UNIT: 100, DEPTH: 100}
#: Faults of cells that take long, but for the first.
_SLOW = [fault for cell in (LSTM, GRU) for fault in FAULTS if fault[0] == cell][1:]


class Planted(Adapter):
    """A device under a rule."""

    def __init__(self, kind, rule):
        self.supports, self.fault = (Supports(*kind),), rule

    def method_of(self, operation):
        """The same for every operation."""
        return lambda case: run(self.fault, case)


@lru_cache(maxsize=2)
def _task(kind, count):
    return list_tasks(type("Any", (Adapter,), {"supports": (Supports(*kind),)})(), count,
                      SEED.value)[0]


def test_the_matrix_has_all_its_faults():
    assert len(dict.fromkeys((kind, rule) for kind, rule, _ in FAULTS)) == len(FAULTS) >= LEAST


@pytest.mark.parametrize(("kind", "rule", "sentence"), [
    pytest.param(*fault, marks=pytest.mark.long) if fault in _SLOW else fault for fault in FAULTS],
                         ids=lambda value: value if isinstance(value, str) else None)
def test_a_planted_fault_is_in_the_report(kind, rule, sentence):
    is_slow = (kind, rule, sentence) in _SLOW
    task    = _task(kind, MANY if is_slow else _COUNTS.get(kind, CASES))

    outcome = judge(task, ask_functions(Planted(kind, rule), task.cases))

    assert not outcome.passed
    assert sentence in outcome.sentence
    assert any("expected" in line for line in outcome.details)
