"""A sequence of layers as one program: placed, packed, run."""

from dataclasses import dataclass, replace

import numpy as np

from golden.tensor import Tensor
from hdl.isa import Memory

from .device import RunResult
from .lowering import Constants, constants, input_image, lower, output_image
from .memory import AllocationError, Rows
from .placement import Image
from .program import link

__all__ = ["Plan", "PlanRun", "Step"]


@dataclass(frozen=True)
class Step:
    """One layer of a plan.

    Parameters
    ----------
    layer : golden layer
    source, target : Image, where input and output lie in X
    values : Constants, what lies in Y
    passes : range, the layer's passes within the program
    kept : bool, the output is still in X when the program ends
    """

    layer:  object
    source: Image
    target: Image
    values: Constants
    passes: range
    kept:   bool


@dataclass(frozen=True)
class PlanRun:
    """A plan on a device.

    Parameters
    ----------
    outputs : tuple of Tensor, one a layer, None where the plan does not keep it
    overflows : tuple of bool, one a layer
    result : RunResult
    """

    outputs:   tuple
    overflows: tuple
    result:    RunResult

    @property
    def output(self):
        """Output of the last layer."""
        return self.outputs[-1]


class Plan:
    """A sequence of layers as one program: all constants in Y, activations in X.

    An activation keeps its place in X from the layer that makes it to the layer that reads it.

    Parameters
    ----------
    config : CoreConfig
    layers : golden layers, each taking the output of the one before
    input_shape : shape of the first input
    dtype : numpy int8 or int16, of the first input
    frac_bits : int, of the first input
    keep : True keeps the output of every layer in X, False only the last; None keeps all if they
        fit

    Attributes
    ----------
    steps : tuple of Step, one a layer
    program : list of Pass
    source, target : Image of the first input and the last output

    ValueError for what a layer's ``check`` refuses and for a program that is too long;
    AllocationError, with sizes in bytes, for what does not fit X or Y.
    """

    def __init__(self, config, layers, input_shape, dtype, frac_bits, keep=None):
        if not layers:
            raise ValueError("A plan must have at least one layer, not 0")
        self.config    = config
        self.dtype     = np.dtype(dtype)
        self.frac_bits = frac_bits
        self._inputs, shape = [], tuple(input_shape)
        for layer in layers:
            x = Tensor(np.zeros(shape, self.dtype), frac_bits)
            layer.check(x)
            self._inputs.append(x)
            shape, frac_bits = layer.output_shape(shape), layer.out_frac_bits
        images  = self._place_images(layers, keep)
        values  = self._place_constants(layers, images)
        self._build(layers, images, values)

    @property
    def source(self):
        """Image of the first input."""
        return self.steps[0].source

    @property
    def target(self):
        """Image of the last output."""
        return self.steps[-1].target

    def load(self, device):
        """Write constants and program to a Device."""
        for step in self.steps:
            device.write_cells(Memory.Y, step.values.y_row * step.values.row_cells,
                               step.values.cells)
        device.load_program(self.program)

    def run(self, device, x):
        """Run the loaded plan on the Tensor ``x``; returns a PlanRun.

        ValueError for an input of another kind; DeviceError if the program does not end well.
        """
        self.check_input(x)
        device.write_cells(Memory.X, self.source.x_row * self.config.lanes,
                           self.source.cells(x.data))
        result = device.run()
        result.check()
        overflows = tuple(any(result.trace[index].overflow for index in step.passes)
                          for step in self.steps)
        return PlanRun(tuple(self._output(device, step) for step in self.steps), overflows, result)

    def check_input(self, x):
        """Raise ValueError unless the Tensor ``x`` is of the kind the plan was made for."""
        found, expected = ((x.shape, x.data.dtype.name, x.frac_bits),
                           (self.source.shape, self.dtype.name, self.frac_bits))
        if found != expected:
            raise ValueError(f"Input must have shape, type and frac_bits {expected}, not {found}")

    def _place_images(self, layers, keep):
        if keep is not None:
            return self._images(layers, keep)
        try:
            return self._images(layers, True)
        except AllocationError:
            return self._images(layers, False)

    def _images(self, layers, keep):
        """Place the input and all outputs, alternating between both ends of X."""
        self.keeps_all = keep
        first, memory = self._inputs[0], Rows(self.config, Memory.X)
        image  = input_image(layers[0], first.shape, first.bits, self.config.ways)
        image  = replace(image, x_row=memory.take(image.x_rows, "Input"))
        images = [image]
        for index, layer in enumerate(layers):
            image = output_image(layer, images[-1])
            row   = memory.take(image.x_rows, f"Output of layer {index}", top=index % 2 == 0)
            if not keep:
                memory.release(images[-1].x_row)
            images.append(replace(image, x_row=row))
        return images

    def _place_constants(self, layers, images):
        memory, placed = Rows(self.config, Memory.Y), []
        for index, layer in enumerate(layers):
            values = constants(layer, self._inputs[index], images[index])
            row    = memory.take(values.y_rows, f"Layer {index}")
            placed.append(replace(values, y_row=row))
        return placed

    def _build(self, layers, images, values):
        steps, passes = [], []
        for index, layer in enumerate(layers):
            source, target = images[index:index + 2]
            lowered = lower(layer, self._inputs[index], source, target, values[index])
            steps.append(Step(layer, source, target, values[index],
                              range(len(passes), len(passes) + len(lowered)),
                              self.keeps_all or index == len(layers) - 1))
            passes += lowered
        self.steps   = tuple(steps)
        self.program = link(passes, self.config)

    def _output(self, device, step):
        if not step.kept:
            return None
        lanes, image = self.config.lanes, step.target
        cells = device.read_cells(Memory.X, image.x_row * lanes, image.x_rows * lanes)
        return Tensor(image.data(cells), step.layer.out_frac_bits)
