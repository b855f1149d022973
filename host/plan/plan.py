"""Layers as one program: placed, packed, run."""

from dataclasses import dataclass, replace

from hdl.isa import AccumulatorRange, Memory, Program
from host.device.device import RunResult
from host.lower.registry import check_passes, find_lowering
from host.memory.constants import Constants
from host.memory.layout import TensorLayout

from .graph import Node, chain, check_inputs
from .placement import Placement
from .rows import AllocationError, Rows
from .waits import set_waits

__all__ = ["Plan", "PlanRun", "Step"]


@dataclass(frozen=True)
class Step:
    """One layer of a plan.

    Parameters
    ----------
    layer : golden layer
    sources : tuple of TensorLayout, where its inputs lie
    target : TensorLayout, where its output lies
    values : Constants, what lies in Y
    passes : range, the layer's passes within the program
    kept : bool, the output is still in X when the program ends
    blank : Tensor like the output
    cell : TensorLayout of the new state that a recurrent cell leaves in Y, or None
    """

    layer:     object
    sources:   tuple
    target:    TensorLayout
    values:    Constants
    passes:    range
    kept:      bool
    blank:     object
    cell:      TensorLayout | None = None


@dataclass(frozen=True)
class PlanRun:
    """A plan on a device.

    Parameters
    ----------
    outputs : tuple of Tensor, one a layer, None where the plan does not keep it
    overflows : tuple of bool, one a layer
    result : RunResult
    cells : tuple of Tensor, one a layer, the new states of recurrent cells; None for other layers
    """

    outputs:   tuple
    overflows: tuple
    result:    RunResult
    cells:     tuple

    @property
    def output(self):
        """Output of the last layer."""
        return self.outputs[-1]


class Plan:
    """Layers as one program: all constants in Y, activations in X.

    An activation keeps its place in X from the layer that makes it to the last one that reads it,
    as ``Placement`` says.

    Parameters
    ----------
    config : CoreConfig
    layers : golden layers, each taking the output of the one before and the first one all inputs;
        or Nodes in an order in which every layer comes behind those whose output it takes
    inputs : Tensors in the format of the inputs, whatever their values
    keep : True keeps the output of every layer in X, False only the last; None keeps all if they
        fit

    Attributes
    ----------
    steps : tuple of Step, one a layer
    program : Program, its passes
    sources : tuple of TensorLayout of the inputs

    ValueError for what a layer's ``check`` refuses, for a layer without passes, and for a program
    that is too long; AllocationError, with sizes in bytes, for what does not fit X or Y.
    """

    def __init__(self, config, layers, *inputs, keep=None):
        if not layers:
            raise ValueError("A plan must have at least one layer, not 0")
        self.config = config
        named = isinstance(layers[0], Node)
        self._nodes  = list(layers) if named else chain(layers, len(inputs))
        self._count  = len(inputs)
        for node in self._nodes:
            check_passes(node.layer)
        self._values, self._lowerings = list(inputs), []
        for node in self._nodes:
            lowering = find_lowering(node.layer, check_inputs(node, self._values), config.ways)
            self._lowerings.append(lowering)
            self._values.append(lowering.output)
        self._place(keep)
        self.sources = tuple(self._layouts[:self._count])

    @property
    def source(self):
        """TensorLayout of the first input."""
        return self.sources[0]

    @property
    def target(self):
        """TensorLayout of the last output."""
        return self.steps[-1].target

    def load(self, device):
        """Write constants and program to a Device."""
        for step in self.steps:
            device.write_cells(Memory.Y, step.values.y_row * step.values.row_cells,
                               step.values.cells)
        device.load_program(self.program)

    def run(self, device, *inputs):
        """Run the loaded plan on Tensors; returns a PlanRun.

        ValueError for inputs of another kind; DeviceError if the program does not end well.
        """
        self.check_inputs(*inputs)
        for x, layout in zip(inputs, self.sources, strict=True):
            device.write_cells(layout.memory, layout.row * layout.row_cells, layout.cells(x.data))
        result = device.run()
        result.check()
        overflows = tuple(any(self._detect_overflow(result, index) for index in step.passes)
                          for step in self.steps)
        outputs = tuple(_tensor(device, step.target, step.blank) if step.kept else None
                        for step in self.steps)
        cells   = tuple(None if step.cell is None else
                        _tensor(device, step.cell, step.layer.cell)
                        for step in self.steps)
        return PlanRun(outputs, overflows, result, cells)

    def _detect_overflow(self, result, index):
        """Whether sums of a pass overflowed; where they saturate it is what the library does."""
        saturates = self.program[index].acc_range is AccumulatorRange.SYMMETRIC32
        return result.trace[index].overflow and not saturates

    def check_inputs(self, *inputs):
        """Raise ValueError unless the Tensors are of the kind the plan was made for."""
        if len(inputs) != self._count:
            raise ValueError(f"The plan takes {self._count} inputs, not {len(inputs)}")
        for x, planned in zip(inputs, self._values, strict=False):
            given, expected = ((tensor.shape, tensor.data.dtype.name, *_format(tensor))
                               for tensor in (x, planned))
            if given != expected:
                raise ValueError(f"Input must have shape, type and frac_bits {expected}, "
                                 f"not {given}")

    def _place(self, keep):
        """Set layouts, steps and program; with ``keep`` None all outputs are kept if they fit."""
        try:
            self._lower(True if keep is None else keep)
        except AllocationError:
            if keep is not None:
                raise
            self._lower(False)

    def _lower(self, keep):
        self.keeps_all = keep
        memories = {memory: Rows(self.config, memory) for memory in Memory}
        self._layouts = Placement(self._nodes, self._lowerings, self._values[:self._count],
                                  self.config.ways).place(memories, keep)
        constants_of = self._place_constants(memories[Memory.Y])
        steps, passes = [], []
        for index, (node, lowering) in enumerate(zip(self._nodes, self._lowerings, strict=True)):
            sources = self._sources_of(node)
            target, values = self._layouts[self._count + index], constants_of[index]
            lowered = lowering.passes(sources, target, values)
            steps.append(Step(node.layer, sources, target, values,
                              range(len(passes), len(passes) + len(lowered)),
                              keep or index == len(self._nodes) - 1,
                              lowering.output, lowering.state_layout(target, values)))
            passes += lowered
        self.steps   = tuple(steps)
        self.program = Program(set_waits(passes, self.config))

    def _place_constants(self, memory):
        """Constants of every layer; those with room come first, where the output can reach it."""
        values = [lowering.constants(self._sources_of(node))
                  for node, lowering in zip(self._nodes, self._lowerings, strict=True)]
        for index in sorted(range(len(values)), key=lambda index: not values[index].room):
            row = memory.take(values[index].y_rows, f"Layer {index}")
            values[index] = replace(values[index], y_row=row)
        return values

    def _sources_of(self, node):
        return tuple(self._layouts[number] for number in node.sources)


def _format(tensor):
    """What the elements of a Tensor stand for; nothing is known of plain integers."""
    formats = (getattr(tensor, name, None) for name in ("frac_bits", "format"))
    return [value for value in formats if value is not None]


def _tensor(device, layout, like):
    """Read the Tensor that lies at ``layout``, in the format and type of ``like``."""
    cells = device.read_cells(layout.memory, layout.row * layout.row_cells,
                              layout.rows * layout.row_cells)
    return replace(like, data=layout.data(cells).astype(like.data.dtype))
