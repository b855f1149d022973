"""Run golden layers on a device, one by one or as a plan."""

from dataclasses import dataclass

from golden.tensor import Tensor
from hdl.isa import COUNTERS

from .device import RunResult
from .plan import Plan, PlanRun

__all__ = ["LayerRun", "Plan", "PlanRun", "layer_counters", "run_layer"]


@dataclass(frozen=True)
class LayerRun:
    """One layer on a device: its output, whether a sum overflowed, how it ran, and the new state
    of a recurrent cell that has one."""

    output:   Tensor
    overflow: bool
    result:   RunResult
    plan:     Plan
    cell:     Tensor | None = None


def run_layer(device, layer, *inputs):
    """Apply a golden layer to Tensors on a Device; returns a LayerRun.

    ValueError or TypeError for what the layer's ``check`` refuses; AllocationError for what does
    not fit; DeviceError if the program does not end well.
    """
    plan = Plan(device.config, [layer], *inputs)
    plan.load(device)
    run = plan.run(device, *inputs)
    return LayerRun(run.output, run.overflows[0], run.result, plan, run.cells[0])


def layer_counters(plan, result):
    """Counters of every layer of a finished run: a list of dicts by ``COUNTERS``.

    A layer lasts from the last step of the layer before to its own last step, the last layer to
    the interrupt, so that they add up to the counters of the program.
    """
    ends = [result.trace[step.passes[-1]].counters for step in plan.steps[:-1]]
    ends.append(result.counters)
    starts = [dict.fromkeys(COUNTERS, 0), *ends[:-1]]
    return [{name: end[name] - start[name] for name in COUNTERS}
            for start, end in zip(starts, ends, strict=True)]
