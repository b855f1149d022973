# SPDX-License-Identifier: Apache-2.0
"""Plan base class: build an executable and run it on Tensors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from xymac.hdl.isa import AccumulatorRange
from xymac.host.device.device import RunResult
from xymac.host.executable.builder import Builder
from xymac.host.plural import plural
from xymac.host.runtime import Runtime

from .emit import Ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xymac.golden.array import Array
    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Pass, Program
    from xymac.host.device.device import Device
    from xymac.host.executable.executable import Executable
    from xymac.host.runtime import Run

__all__ = ["PlanRun", "Planned"]


@dataclass(frozen=True)
class PlanRun:
    """A plan's results on a device.

    Parameters
    ----------
    outputs : tuple of Tensor, a Tensor per layer, None for discarded outputs
    overflows : tuple of bool, per layer
    result : RunResult
    cells : tuple of Tensor, per layer: recurrent cells' new states, None for other layers
    states : tuple of Tensor tuples, one per layer: all states for the next run, the cell state last
    """

    outputs:   tuple[Array | None, ...]
    overflows: tuple[bool, ...]
    result:    RunResult
    cells:     tuple[Array | None, ...]
    states:    tuple[tuple[Array, ...], ...]

    @property
    def output(self) -> Array:
        """The last layer's output."""
        return cast("Array", self.outputs[-1])


class Planned(ABC):
    """Base class for layer plans.

    Attributes
    ----------
    steps : tuple, a step per layer
    program : tuple of all passes
    states : tuple of Tensor tuples, one per layer: initial states
    inputs : tuple of Tensors in the input formats
    blanks : list of Tensors in the layers' output formats
    cell_blanks : dict, layer index to a Tensor like the recurrent cell's new state
    """

    config:      CoreConfig
    steps:       tuple[Any, ...]
    program:     tuple[Pass, ...]
    segments:    tuple[Program, ...]
    states:      tuple[tuple[Array, ...], ...]
    inputs:      tuple[Array, ...]
    blanks:      list[Array | None]
    cell_blanks: dict[int, Array]
    keeps_all:   bool

    def __repr__(self) -> str:
        return (f"<{type(self).__name__}: {plural(len(self.steps), 'layer')}, "
                f"{plural(len(self.program), 'pass', 'passes')}>")

    @abstractmethod
    def emit(self, builder: Builder, ends: Ends, *, alone: bool = False) -> None:
        """Add the plan's steps to a Builder; see ``Ends`` and ``emit_plan``.

        ``alone`` loads persistent constants and programs only once.
        """

    @property
    def kept(self) -> list[int]:
        """Indices of the layers with outputs that are still in memory."""
        return [index for index, step in enumerate(self.steps) if step.kept]

    def ends(self, sources: Iterable[int], targets: Sequence[int | None],
             states: Iterable[int], cells: Mapping[int, int] | None = None) -> Ends:
        """Ends for whole values: numbers for every input, every layer (or None) and every state."""
        return Ends(
            tuple((number, ()) for number in sources),
            tuple((index, number, ()) for index in self.kept
                  if (number := targets[index]) is not None),
            tuple((number, ()) for number in states), dict(cells or {}))

    @cached_property
    def executable(self) -> Executable:
        """The plan's own Executable.

        Its values are the inputs, the layer outputs, the layer states and the recurrent cells' new
        states.
        """
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

    def load(self, device: Device) -> None:
        """Write the persistent data to a Device."""
        Runtime(self.executable, device).load()

    def run(self, device: Device, *inputs: Array,
            states: Sequence[Sequence[Array]] | None = None) -> PlanRun:
        """Run the loaded plan on Tensors; returns a PlanRun.

        Layers start from ``states``, as a previous PlanRun returns them, or from their initial
        states. ValueError for inputs or states with other formats; DeviceError if the program
        fails.
        """
        states = self.states if states is None else states
        self.check_inputs(*inputs)
        self.check_states(states)
        executable = self.executable
        run = Runtime(executable, device).run(inputs, dict(zip(
            executable.states, (state for own in states for state in own), strict=True)))
        return self.collect(run)

    def collect(self, run: Run) -> PlanRun:
        """The PlanRun of an executable's Run."""
        first, new = len(self.inputs), iter(run.states.values())
        result = cast("RunResult", run.result)
        states = tuple(tuple(next(new) for _ in own) for own in self.states)
        behind = first + len(self.steps) + len(run.states)
        cells  = {index: run.values[number]
                  for number, index in enumerate(self.cell_blanks, behind)}
        return PlanRun(
            tuple(run.values.get(first + index) for index in range(len(self.steps))),
            self.find_overflows(result), result,
            tuple(own[-1] if own else cells.get(index) for index, own in enumerate(states)), states)

    def find_overflows(self, result: RunResult) -> tuple[bool, ...]:
        """Per layer, whether an accumulator overflowed. Saturating sums do not count."""
        return tuple(any(
            result.trace[index].overflow and (self.program[index].accumulate.acc_range
                                              is not AccumulatorRange.SYMMETRIC32)
            for index in step.passes) for step in self.steps)

    def check_inputs(self, *inputs: Array) -> None:
        """Raise ValueError unless the Tensors have the planned shapes and formats."""
        if len(inputs) != len(self.inputs):
            raise ValueError(f"The plan takes {plural(len(self.inputs), 'input')}, not "
                             f"{len(inputs)}")
        for x, planned in zip(inputs, self.inputs, strict=True):
            given, expected = ((tensor.shape, tensor.data.dtype.name, *_format(tensor))
                               for tensor in (x, planned))
            if given != expected:
                raise ValueError(f"Input must have shape, type and frac_bits {expected}, "
                                 f"not {given}")

    def check_states(self, given: Sequence[Sequence[Array]]) -> None:
        """Raise ValueError unless ``given``, like ``PlanRun.states``, has the layers' state shapes
        and types.
        """
        kinds = [[[(state.shape, state.data.dtype.name) for state in states] for states in each]
                 for each in (given, self.states)]
        if kinds[0] != kinds[1]:
            raise ValueError(f"States must have shapes and types {kinds[1]}, not {kinds[0]}")


def _format(tensor):
    """A Tensor's fixed-point format fields; empty for plain integers."""
    formats = (getattr(tensor, name, None) for name in ("frac_bits", "format"))
    return [value for value in formats if value is not None]
