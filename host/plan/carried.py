# SPDX-License-Identifier: Apache-2.0
"""Parts of a sequence whose passes have as constants what the part before hands on."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from xymac.hdl.isa import Memory, Region
from xymac.host.executable.builder import Builder
from xymac.host.executable.steps import COPY, Load
from xymac.host.memory.wide import WideScatter

from .emit import Ends
from .plan import Plan
from .state_cells import find_state_cells

__all__ = ["CarriedPlan"]


class CarriedPlan:
    """A plan of a cell whose states are its output of the step before, and its cell.

    Its states are values which the host writes to the places that they have among the constants.

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
        plan = self._plan(node.layer)
        self.program, self.steps, self.segments = plan.program, plan.steps, plan.segments
        self.cell_blanks = plan.cell_blanks

    def _plan(self, layer):
        return Plan(self._config, [replace(self._node, layer=layer)], *self._inputs,
                    **self._options)

    @property
    def states(self):
        """What the part begins with if nothing comes before."""
        return (tuple(getattr(self._node.layer, name) for name in self._carried),)

    @cached_property
    def _found(self):
        """StateCells of every constant, and the Plan with blank states."""
        found, blank = find_state_cells(self._cells_of, self._node.layer, self._carried)
        return found, self._plan(blank)

    def _cells_of(self, layer):
        """Cells of all constants of the cell with the states of a layer."""
        plan    = self._plan(layer)
        builder = Builder(dict(enumerate([*self._inputs, *plan.blanks])))
        count   = len(self._inputs)
        plan.emit(builder, Ends(tuple((number, ()) for number in range(count)), ((0, count, ()),)))
        built   = builder.build(self._inputs, [count])
        return [built.arrays[step.array] for step in built.run if _is_constant(step)]

    def emit(self, builder, ends, *, alone=False):
        """See ``Planned``. Behind the program the states of ``ends`` are those of the next part.
        """
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
