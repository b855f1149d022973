# SPDX-License-Identifier: Apache-2.0
"""Plan a tiled recurrent cell: each tile's states are constants, from the tile before."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.hdl.isa import Memory, Region
from xymac.host.errors import Refusal
from xymac.host.executable.builder import Builder
from xymac.host.executable.steps import COPY, Load
from xymac.host.memory.wide import WideScatter
from xymac.host.plan.emit import Ends
from xymac.host.plan.plan import Plan
from xymac.host.plan.state_cells import find_state_cells

if TYPE_CHECKING:
    from xymac.golden.array import Array
    from xymac.hdl.config import CoreConfig
    from xymac.host.plan.graph import Node

__all__ = ["CarriedPlan"]


class CarriedPlan:
    """A plan for a recurrent cell whose states are its previous output and its cell state.

    The states are values, written by the host to their addresses among the constants.

    Parameters
    ----------
    config : CoreConfig
    node : Node, the recurrent cell
    carried : tuple of str, layer fields: the initial output, and the initial cell state if the cell
        has one
    plan : Plan for the node
    inputs : tuple of Tensors in the input formats
    options : dict, see ``Plan``
    """

    def __init__(self, config: CoreConfig, node: Node, carried: tuple[str, ...], plan: Plan,
                 inputs: tuple[Array, ...], options: dict[str, Any]) -> None:
        self._config, self._node, self._carried = config, node, carried
        self._inputs, self._options = inputs, options
        self.program, self.steps, self.segments = plan.program, plan.steps, plan.segments
        self.cell_blanks = plan.cell_blanks

    @classmethod
    def of(cls, config: CoreConfig, node: Node, carried: tuple[str, ...], *inputs: Array,
           **options: Any) -> CarriedPlan | Refusal:
        """The CarriedPlan; a Refusal, with sizes in bytes, if tensors do not fit."""
        plan = Plan.of(config, [node], *inputs, **options)
        if isinstance(plan, Refusal):
            return plan
        return cls(config, node, carried, plan, inputs, options)

    def _plan(self, layer):
        return Plan(self._config, [replace(self._node, layer=layer)], *self._inputs,
                    **self._options)

    @property
    def states(self) -> tuple[tuple[Array, ...], ...]:
        """Initial states: a single Tensor tuple, for the only layer."""
        return (tuple(getattr(self._node.layer, name) for name in self._carried),)

    @cached_property
    def _found(self):
        """(StateCells per constant, Plan with blank states)."""
        found, blank = find_state_cells(self._cells_of, self._node.layer, self._carried)
        return found, self._plan(blank)

    def _cells_of(self, layer):
        """List of uint16 arrays: every constant's words, with ``layer``'s states."""
        plan    = self._plan(layer)
        builder = Builder(dict(enumerate([*self._inputs, *plan.blanks])))
        count   = len(self._inputs)
        plan.emit(builder, Ends(tuple((number, ()) for number in range(count)), ((0, count, ()),)))
        built   = builder.build(self._inputs, [count])
        return [built.arrays[step.array] for step in built.run if _is_constant(step)]

    def emit(self, builder: Builder, ends: Ends, *, alone: bool = False) -> None:
        """See ``Planned``. After the program, the states in ``ends`` are the next tile's states."""
        found, plan = self._found
        state, *cell = (number for number, _ in ends.states)
        begin = len(builder.run)
        plan.emit(builder, replace(ends, states=(), cells=dict.fromkeys(self.cell_blanks, *cell)))
        steps, builder.run[begin:] = builder.run[begin:], []
        rest = iter(found)
        for step in steps:
            builder.run.append(step)
            for part in next(rest) if _is_constant(step) else ():
                number, _ = ends.states[self._carried.index(part.name)]
                builder.write(number, WideScatter(Memory.Y, step.first + part.first, part.pieces,
                                                  part.zero))
        [(_, target, slices)] = ends.targets
        shape = builder.shape_of(target)
        rows  = np.arange(np.prod(shape)).reshape(shape)[slices].reshape(
            -1, np.prod(builder.shape_of(state)))
        builder.take(target, rows[-1], state)
        for number in ends.cells.values():
            builder.compute(COPY, cell, number)


def _is_constant(step):
    return isinstance(step, Load) and step.region is Region.Y
