"""What a layer is, and the one way to apply it to its inputs."""

from dataclasses import replace
from math import prod
from typing import Protocol, get_type_hints, runtime_checkable

import numpy as np

from .ints import PlainInts
from .kinds import WorkUnit
from .result import Result

__all__ = ["Layer", "LayerBase", "run", "unit_of"]


@runtime_checkable
class Layer(Protocol):
    """The constants of a kernel call, and the kernel.

    ``x`` are the inputs of a call, each an Array of the library that the kernel is of; ``x_shapes``
    are their shapes. Every method but ``check`` relies on inputs that ``check`` takes, so apply a
    layer with ``run`` of this module. Nothing changes a layer once it is made.

    Members
    -------
    inputs : int, how many inputs a call has; None for any number, or one that ``check`` knows
    work_unit : WorkUnit, what ``work`` counts
    by_element : bool, whether an element of the output depends on that element of each input, and
        on nothing else: parts of the inputs then give parts of the output
    """

    inputs:     int | None
    work_unit:  WorkUnit
    by_element: bool

    def check(self, *x):
        """Raise TypeError or ValueError, in a sentence, unless the kernel can process ``x``."""

    def output_shape(self, *x_shapes):
        """Shape of the output, a tuple."""

    def output_like(self, *x):
        """Array of zeros in the format of the output: shape, type of the elements, and their scale
        or fractional bits; what the elements of ``x`` are does not count."""

    def run(self, *x) -> Result:
        """Apply the kernel."""

    def work(self, *x_shapes):
        """What no machine can do without: products, or elements that are read or written.

        An int; products with padding, and reading it, are not work.
        """

    def data_type(self, *x):
        """Types of inputs and weights as the functions of the library spell them, a str."""


_MEMBERS = [*get_type_hints(Layer), *(name for name in vars(Layer) if not name.startswith("_"))]


class LayerBase(PlainInts):
    """Base of a layer, a frozen dataclass; the subclass has ``check`` and ``run``.

    Unless the subclass says otherwise, a layer takes one input, its output has the shape and the
    format of that input, its work is to write the output, and it may need all of the input for it.
    """

    inputs     = 1
    work_unit  = WorkUnit.ELEMENTS
    by_element = False

    def output_shape(self, *x_shapes):
        """Shape of the output, that of the first input."""
        return tuple(x_shapes[0])

    def output_like(self, *x):
        """Zeros in the format of the output, which is that of the first input."""
        shape = self.output_shape(*(array.shape for array in x))
        return replace(x[0], data=np.zeros(shape, x[0].data.dtype))

    def work(self, *x_shapes):
        """Elements of the output."""
        return prod(self.output_shape(*x_shapes))

    def data_type(self, *x):
        """Type of the first input as the functions of the library spell it."""
        return x[0].type_name


def unit_of(layer, *x_shapes):
    """WorkUnit of the work of a Layer on inputs of ``x_shapes``.

    Where that depends on shapes a layer has a method ``unit_on`` of them, else it is ``work_unit``.
    """
    return layer.unit_on(*x_shapes) if hasattr(layer, "unit_on") else layer.work_unit


def run(layer, *inputs):
    """Apply a Layer to its inputs, Arrays of its library; returns a Result.

    TypeError for what is no layer or for a wrong number of inputs; TypeError or ValueError for
    what its ``check`` refuses.
    """
    kind = type(layer).__name__
    if isinstance(layer, type) or not isinstance(layer, Layer):
        missing = [name for name in _MEMBERS if not hasattr(layer, name)]
        raise TypeError(f"Layer must be a layer, not {kind}"
                        + (f", which has no {', '.join(missing)}" if missing else ""))
    if layer.inputs not in (None, len(inputs)):
        raise TypeError(f"Inputs of {kind} must be {layer.inputs}, not {len(inputs)}")
    layer.check(*inputs)
    return layer.run(*inputs)
