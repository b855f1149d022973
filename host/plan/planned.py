# SPDX-License-Identifier: Apache-2.0
"""What plans have in common: an executable, and its runs on Tensors."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

from xymac.hdl.isa import AccumulatorRange
from xymac.host.device.device import RunResult
from xymac.host.executable.builder import Builder
from xymac.host.runtime import Runtime

from .emit import Ends

__all__ = ["PlanRun", "Planned"]


@dataclass(frozen=True)
class PlanRun:
    """A plan on a device.

    Parameters
    ----------
    outputs : tuple of Tensor, one a layer, None where the plan does not keep it
    overflows : tuple of bool, one a layer
    result : RunResult
    cells : tuple of Tensor, one a layer, the new states of recurrent cells; None for other layers
    states : tuple of Tensors, one a layer: all that it keeps for the next run, the cell last
    """

    outputs:   tuple
    overflows: tuple
    result:    RunResult
    cells:     tuple
    states:    tuple

    @property
    def output(self):
        """Output of the last layer."""
        return self.outputs[-1]


class Planned(ABC):
    """Base of a plan of layers.

    Attributes
    ----------
    steps : tuple, one a layer
    program : tuple of all passes
    states : tuple of Tensors, one a layer: what the first run begins with
    inputs : tuple of Tensors in the format of the inputs
    blanks : list of Tensors in the format of the outputs of all layers
    cell_blanks : dict from indices of layers to Tensors like the new states of recurrent cells
    """

    @abstractmethod
    def emit(self, builder, ends, *, alone=False):
        """Add the steps of the plan to a Builder, see ``Ends``. With ``alone`` constants and
        programs that stay on the device are loaded once."""

    def ends(self, sources, targets, states, cells=None):
        """Ends of numbers alone: of every input, of every layer or None, of every state."""
        return Ends(
            tuple((number, ()) for number in sources),
            tuple((index, targets[index], ()) for index, step in enumerate(self.steps)
                  if step.kept and targets[index] is not None),
            tuple((number, ()) for number in states), cells or {})

    @cached_property
    def executable(self):
        """The Executable of the plan alone. Values are inputs, outputs of layers, states of layers,
        new states of cells."""
        count, layers = len(self.inputs), len(self.steps)
        every  = [state for own in self.states for state in own]
        values = [*self.inputs, *self.blanks, *every, *self.cell_blanks.values()]
        states = range(count + layers, count + layers + len(every))
        builder = Builder(dict(enumerate(values)))
        ends = self.ends(range(count), range(count, count + layers), states, dict(zip(
            self.cell_blanks, range(states.stop, len(values)), strict=True)))
        self.emit(builder, ends, alone=True)
        return builder.build(self.inputs, [number for _, number, _ in ends.targets],
                             states=dict(zip(states, every, strict=True)))

    def load(self, device):
        """Write to a Device what stays there from run to run."""
        Runtime(self.executable, device).load()

    def run(self, device, *inputs, states=None):
        """Run the loaded plan on Tensors; returns a PlanRun.

        Layers begin with ``states``, those of the PlanRun before, or as for the first time.
        ValueError for inputs or states of another kind; DeviceError if the program does not end
        well.
        """
        states = self.states if states is None else states
        self.check_inputs(*inputs)
        self.check_states(states)
        executable = self.executable
        run = Runtime(executable, device).run(inputs, dict(zip(
            executable.states, (state for own in states for state in own), strict=True)))
        return self.collect(run)

    def collect(self, run):
        """The PlanRun of a Run of the executable."""
        first, new = len(self.inputs), iter(run.states.values())
        states = tuple(tuple(next(new) for _ in own) for own in self.states)
        behind = first + len(self.steps) + len(run.states)
        cells  = {index: run.values[number]
                  for number, index in enumerate(self.cell_blanks, behind)}
        return PlanRun(
            tuple(run.values.get(first + index) for index in range(len(self.steps))),
            self.find_overflows(run.result), run.result,
            tuple(own[-1] if own else cells.get(index) for index, own in enumerate(states)), states)

    def find_overflows(self, result):
        """Whether sums of each layer overflowed, a tuple; where they saturate it is what the
        library does."""
        return tuple(any(
            result.trace[index].overflow and (self.program[index].accumulate.acc_range
                                              is not AccumulatorRange.SYMMETRIC32)
            for index in step.passes) for step in self.steps)

    def check_inputs(self, *inputs):
        """Raise ValueError unless the Tensors are of the kind the plan was made for."""
        if len(inputs) != len(self.inputs):
            raise ValueError(f"The plan takes {len(self.inputs)} inputs, not {len(inputs)}")
        for x, planned in zip(inputs, self.inputs, strict=True):
            given, expected = ((tensor.shape, tensor.data.dtype.name, *_format(tensor))
                               for tensor in (x, planned))
            if given != expected:
                raise ValueError(f"Input must have shape, type and frac_bits {expected}, "
                                 f"not {given}")

    def check_states(self, given):
        """Raise ValueError unless states, as ``PlanRun.states``, are those of the layers."""
        kinds = [[[(state.shape, state.data.dtype.name) for state in states] for states in each]
                 for each in (given, self.states)]
        if kinds[0] != kinds[1]:
            raise ValueError(f"States must have shapes and types {kinds[1]}, not {kinds[0]}")


def _format(tensor):
    """What the elements of a Tensor stand for; nothing is known of plain integers."""
    formats = (getattr(tensor, name, None) for name in ("frac_bits", "format"))
    return [value for value in formats if value is not None]
