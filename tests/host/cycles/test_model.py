# SPDX-License-Identifier: Apache-2.0
"""The cycle model: counted by hand, and against the counters of the RTL."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.tflite.kept import random_lstm
from xymac.golden.mli1 import Conv2d, DepthwiseConv2d, FullyConnected, Tensor
from xymac.golden.tflm import Mean, Quantisation
from xymac.golden.tflm import Tensor as TflmTensor
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Access, Axis, Pass, RoundMode, Scale, Table
from xymac.host.cycles.model import PIPELINE, predict
from xymac.host.plan.plan import Plan
from xymac.sim.rtl.device import RtlDevice

LONG = Pass(x=Access(0, 0, 99), y=Access(0, 0, 99), z=Access(200, 200, 299), outer=(1, 5, 7),
            taps=(3, 3, 4), last=True)
#: Of results that are not looked up, on base.
SETTLE = PIPELINE["settle"] + 3 - PIPELINE["short"]


def noise(*shape, dtype=np.int8):
    return Tensor(random_of(3).integers(-128, 128, shape).astype(dtype), 7)


def conv(outputs, inputs, *kernel, kind=Conv2d, **options):
    return kind(noise(outputs, inputs, *kernel), noise(outputs), 5, **options)


def dense(outputs, inputs):
    return FullyConnected(noise(outputs, inputs), noise(outputs), 3)


def test_steps_are_the_valid_taps():
    assert predict([LONG], BASE).issued == 5 * 7 * 9 * 4
    clipped = replace(LONG, rows=Axis(pad=1, step=1, size=5), cols=Axis(pad=1, step=1, size=7))
    assert predict([clipped], BASE).issued == (5 * 3 - 2) * (7 * 3 - 2) * 4


@pytest.mark.parametrize(("changes", "cycles"), [
    ({}, 35 * 36),
    ({"taps": (1, 1, 2)}, 34 * 4 + 2),                       # the drain takes 4 cycles an output
    ({"outer": (5, 1, 7), "bias_row": 0}, 35 * 36 + 4),      # a row of bias a group but the first
    ({"outer": (5, 1, 7), "bias_row": 0, "taps": (1, 1, 1)},  # read 4 cycles after the step before
     1 + 30 * 4 + 4 * 5),
    # a group but the first: 2 records, 4 cycles between, 2 more until the last sums have passed
    ({"outer": (5, 1, 7), "bias_row": 0, "scale": Scale.BITS16},
     35 * 36 + 4 * (2 + 4 + 2) + PIPELINE["scale"]),
    ({"outer": (5, 1, 7), "bias_row": 0, "scale": Scale.BITS16, "addend": True},  # 3: come late
     35 * 36 + 3 + 4 * (3 + 8 + 2) + PIPELINE["scale"]),
    # the parameters of the first group alone
    ({"outer": (5, 1, 7), "bias_row": 0, "scale": Scale.BITS16, "addend": True, "once": True},
     35 * 36 + 3 + 4 + PIPELINE["scale"]),
    ({"table": Table.TANH}, 35 * 36 + PIPELINE["short"])])
def test_one_pass_costs_its_steps_and_the_pipeline(changes, cycles):
    always = "start", "claim", "fetch", "lead", "drain", "end"
    lines  = 4  # of a pass in program memory
    fixed  = sum(PIPELINE[name] for name in always) + lines + 4 - PIPELINE["short"]
    assert predict([replace(LONG, **changes)], BASE).cycles == fixed + cycles


def test_passes_follow_without_a_gap_unless_they_wait():
    first  = replace(LONG, last=False)
    single = predict([LONG], BASE)
    assert predict([first, LONG], BASE).cycles - single.cycles == single.issued
    waiting = predict([first, replace(LONG, wait=True)], BASE)
    assert waiting.cycles - single.cycles == single.issued + SETTLE
    assert waiting.passes[0] == single.passes[0]


def test_passes_that_scale_in_another_way_wait():
    scaled = replace(LONG, scale=Scale.BITS16, bias_row=0, last=False)
    alike, other = (predict([scaled, replace(scaled, **change)], BASE).cycles
                    for change in ({}, {"rounding": RoundMode.UP}))
    assert other - alike == PIPELINE["switch"] - 3  # Records are read from the cycle before on.


def test_sums_behind_some_that_are_looked_up_are_as_late():
    """Unless these have been written, or the next sum comes that much later."""
    looked, plain = replace(LONG, table=Table.TANH, last=False), LONG
    sparse = replace(plain, outer=(1, 1, 2), taps=(1, 1, 80))

    ends = [predict([looked, last], BASE) for last in (
        plain, replace(plain, wait=True), sparse, replace(sparse, taps=(1, 1, 36)))]

    behind = [prediction.cycles - prediction.passes[-1] for prediction in ends]
    assert [behind[0] - each for each in behind] == [0, PIPELINE["short"], PIPELINE["short"], 0]


NETWORKS = {
    "conv": ((5, 9, 9), [conv(10, 5, 3, 3, pad=(1, 1, 1, 1))]),
    "pointwise": ((24, 5, 5), [conv(12, 24, 1, 1)]),
    "depthwise": ((11, 8, 8), [conv(11, 1, 3, 3, kind=DepthwiseConv2d, pad=(1, 1, 1, 1))]),
    "dense": ((300,), [dense(24, 300)]),
    "network": ((3, 8, 8), [conv(13, 3, 3, 3, pad=(1, 1, 1, 1)),
                            conv(13, 1, 3, 3, kind=DepthwiseConv2d, stride=(2, 2)),
                            conv(9, 13, 1, 1), dense(10, 81)]),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_within_two_percent_of_the_rtl(name):
    shape, layers = NETWORKS[name]
    plan = Plan(TINY, layers, noise(*shape))
    with RtlDevice(TINY) as device:
        plan.load(device)
        counters = plan.run(device, noise(*shape)).result.counters

    predicted = predict(plan.program, TINY)

    assert predicted.issued == counters["issued"]
    assert abs(predicted.cycles - counters["cycles"]) <= 0.02 * counters["cycles"]


def test_scaled_passes_that_wait_end_as_in_the_rtl():
    """Behind sums that are scaled, in another mode, and behind results in Y."""
    x     = Quantisation((2.0**-4,), (3,))
    blank = TflmTensor(random_of(4).integers(-128, 128, (1, 5, 28), np.int8), x)
    plan  = Plan(BASE, [random_lstm(3, 1, 28, 20), Mean((1,), x)], blank)
    with RtlDevice(BASE) as device:
        plan.load(device)
        trace = plan.run(device, blank).result.trace

    ends = predict(plan.program, BASE).passes

    assert tuple(entry.counters["cycles"] for entry in trace) == ends
