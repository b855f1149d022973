# SPDX-License-Identifier: Apache-2.0
"""Run golden layers on a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xymac.golden.array import Array
from xymac.hdl.isa import COUNTERS
from xymac.host.device.device import RunResult, check_device
from xymac.host.plan.tiling.tiled import make_plan

from .plan import Plan
from .planned import Planned, PlanRun

if TYPE_CHECKING:
    from xymac.golden.layer import Layer
    from xymac.host.device.device import Device

__all__ = ["LayerRun", "Plan", "PlanRun", "layer_counters", "run_layer"]


@dataclass(frozen=True, repr=False)
class LayerRun:
    """A layer's results on a device.

    Parameters
    ----------
    output : Tensor
    overflow : bool, an accumulator overflowed
    result : RunResult
    plan : Plan or TiledPlan
    cell : Tensor, a recurrent cell's new state, or None
    """

    output:   Array
    overflow: bool
    result:   RunResult
    plan:     Planned
    cell:     Array | None = None

    def __repr__(self) -> str:
        cycles = self.result.counters[COUNTERS[0]]
        return (f"<LayerRun: {self.output!r}" + f", {cycles:,} cycles" * bool(cycles)
                + ", overflow" * self.overflow + ">")


def run_layer(device: Device, layer: Layer, *inputs: Array,
              c_order: bool = False) -> LayerRun:
    """Apply a golden layer to Tensors on a Device; returns a LayerRun.

    With ``c_order``, inputs and output have the user's array order; see ``Plan``. ValueError or
    TypeError for inputs refused by the layer's ``check``; Refusal for tensors that neither fit nor
    can be cut into tiles; DeviceError if the program fails.
    """
    check_device(device)
    plan = make_plan(device.config, [layer], *inputs, c_order=c_order)
    plan.load(device)
    run = plan.run(device, *inputs)
    return LayerRun(run.output, run.overflows[0], run.result, plan, run.cells[0])


def layer_counters(plan: Planned, result: RunResult) -> list[dict[str, int]]:
    """Every layer's counters in a finished run: a list of dicts with the keys ``COUNTERS``.

    A pass counts from the last step of the pass before it to its own, and the last layer to the
    interrupt. The layer counters therefore sum to the program counters. A layer without passes has
    zeros.
    """
    ends   = [dict.fromkeys(COUNTERS, 0), *(record.counters for record in result.trace)]
    counts = [{name: sum(ends[index + 1][name] - ends[index][name] for index in step.passes)
               for name in COUNTERS} for step in plan.steps]
    for name in COUNTERS:
        counts[-1][name] += result.counters[name] - ends[-1][name]
    return counts
