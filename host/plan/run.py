# SPDX-License-Identifier: Apache-2.0
"""Run golden layers on a device, one by one or as a plan."""

from dataclasses import dataclass

from xymac.golden.array import Array
from xymac.hdl.isa import COUNTERS
from xymac.host.device.device import RunResult

from .plan import Plan
from .planned import PlanRun
from .tiled import TiledPlan, make_plan

__all__ = ["LayerRun", "Plan", "PlanRun", "layer_counters", "run_layer"]


@dataclass(frozen=True)
class LayerRun:
    """One layer on a device: its output, whether a sum overflowed, how it ran, its plan, and the
    new state of a recurrent cell that has one."""

    output:   Array
    overflow: bool
    result:   RunResult
    plan:     Plan | TiledPlan
    cell:     Array | None = None


def run_layer(device, layer, *inputs, c_order=False):
    """Apply a golden layer to Tensors on a Device; returns a LayerRun.

    With ``c_order`` inputs and output lie in the order of the user's arrays, see ``Plan``.
    ValueError or TypeError for what the layer's ``check`` refuses; AllocationError for what does
    not fit and cannot be cut into tiles; DeviceError if the program does not end well.
    """
    plan = make_plan(device.config, [layer], *inputs, c_order=c_order)
    plan.load(device)
    run = plan.run(device, *inputs)
    return LayerRun(run.output, run.overflows[0], run.result, plan, run.cells[0])


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
