"""Run golden layers on a device, one by one or as a plan."""

from dataclasses import dataclass, replace

import numpy as np

from golden.array import Array
from hdl.isa import COUNTERS
from host.device.device import RunResult

from .plan import Plan, PlanRun
from .rows import AllocationError

__all__ = ["LayerRun", "Plan", "PlanRun", "layer_counters", "run_layer"]


@dataclass(frozen=True)
class LayerRun:
    """One layer on a device: its output, whether a sum overflowed, how it ran, and the new state
    of a recurrent cell that has one."""

    output:   Array
    overflow: bool
    result:   RunResult
    plan:     Plan
    cell:     Array | None = None


def run_layer(device, layer, *inputs):
    """Apply a golden layer to Tensors on a Device; returns a LayerRun.

    ValueError or TypeError for what the layer's ``check`` refuses; AllocationError for what does
    not fit; DeviceError if the program does not end well. What works element by element and does
    not fit runs in pieces.
    """
    try:
        plan = Plan(device.config, [layer], *inputs)
    except AllocationError:
        if not layer.by_element or inputs[0].data.size == 1:
            raise
        return _run_halves(device, layer, inputs)
    plan.load(device)
    run = plan.run(device, *inputs)
    return LayerRun(run.output, run.overflows[0], run.result, plan, run.cells[0])


def _run_halves(device, layer, inputs):
    """Run a layer on both halves of its inputs, one after the other: a LayerRun of both.

    Its plan is that of the second half, its trace that of both.
    """
    middle = inputs[0].data.size // 2
    first, second = (
        run_layer(device, layer, *(replace(x, data=x.data.ravel()[part]) for x in inputs))
        for part in (slice(middle), slice(middle, None)))
    data     = np.concatenate([run.output.data for run in (first, second)])
    counters = {name: first.result.counters[name] + second.result.counters[name]
                for name in COUNTERS}
    return replace(
        second, output=replace(second.output, data=data.reshape(inputs[0].shape)),
        overflow=first.overflow or second.overflow,
        result=replace(second.result, counters=counters,
                       trace=first.result.trace + second.result.trace))


def layer_counters(plan, result):
    """Counters of every layer of a finished run: a list of dicts by ``COUNTERS``.

    A layer lasts from the last step of the layer before to its own last step, the last layer to
    the interrupt, so that they add up to the counters of the program. One without passes takes 0.
    """
    ends = [dict.fromkeys(COUNTERS, 0)]
    for step in plan.steps[:-1]:
        ends.append(result.trace[step.passes[-1]].counters if step.passes else ends[-1])
    starts, ends = ends, [*ends[1:], result.counters]
    return [{name: end[name] - start[name] for name in COUNTERS}
            for start, end in zip(starts, ends, strict=True)]
