# SPDX-License-Identifier: Apache-2.0
"""Parts of a sequence whose passes have as constants what the part before hands on."""

from dataclasses import replace

from .plan import Plan

__all__ = ["CarriedPlan"]


class CarriedPlan:
    """What a Plan is, of a cell whose states are its output of the step before, and its cell.

    The host makes constants of them when it runs: those of the Plan change, the passes do not.

    Parameters
    ----------
    config : CoreConfig
    node : Node of the cell
    carried : tuple of str, fields of the layer: the output of the step before the first, and the
        cell if there is one
    inputs : Tensors in the format of its inputs
    options : see ``Plan``

    AllocationError, with sizes in bytes, for what does not fit X or Y.
    """

    def __init__(self, config, node, carried, *inputs, **options):
        self._config, self._node, self._carried = config, node, carried
        self._inputs, self._options = inputs, options
        plan = self._plan(node)
        self.program, self.steps, self.segments = plan.program, plan.steps, plan.segments

    def _plan(self, node):
        return Plan(self._config, [node], *self._inputs, **self._options)

    @property
    def states(self):
        """What the part begins with if nothing comes before."""
        return (tuple(getattr(self._node.layer, name) for name in self._carried),)

    def load(self, device):
        """Nothing: constants are loaded when it is known what they are."""

    def run(self, device, *inputs, states=None):
        """Run on Tensors from ``states`` on, those of the PlanRun of the part before; returns a
        PlanRun. Errors are those of ``Plan``."""
        [given] = self.states if states is None else states
        layer   = replace(self._node.layer, **dict(zip(self._carried, given, strict=True)))
        plan    = self._plan(replace(self._node, layer=layer))
        plan.load(device)
        run  = plan.run(device, *inputs)
        last = run.output.data.reshape(-1, given[0].data.size)[-1]
        after = replace(run.output, data=last), *run.cells
        return replace(run, states=(after[:len(given)],))
