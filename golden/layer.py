# SPDX-License-Identifier: Apache-2.0
"""The layer interface, and the function that applies a layer to its inputs."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from .array import Array
from .ints import PlainInts
from .kinds import WorkUnit
from .result import Result

if TYPE_CHECKING:
    from xymac.golden.mli1.tensor import Tensor
    from xymac.golden.tflm.sums.conv import DepthwiseConv2d

__all__ = ["Layer", "LayerBase", "run", "unit_of"]


@runtime_checkable
class Layer(Protocol):
    """The constants for a kernel call, and the kernel.

    ``x`` are the inputs, Arrays from the kernel's library; ``x_shapes`` are their shapes. Every
    method except ``check`` assumes inputs that passed ``check``, so apply a layer with ``run`` in
    this module. A layer is immutable.

    Members
    -------
    inputs : int, input count; None for a variable count, which ``check`` may limit
    work_unit : WorkUnit, unit for ``work``
    by_element : bool, whether each output element depends only on the input elements at its own
        index; a slice from the inputs then gives the same slice in the output
    """

    @property
    def inputs(self) -> int | None: ...
    @property
    def work_unit(self) -> WorkUnit: ...
    @property
    def by_element(self) -> bool: ...

    def check(self, *x: Any, **options: Any) -> None:
        """Raise TypeError or ValueError, in a sentence, unless the kernel can process ``x``."""

    def output_shape(self, *x_shapes: Any, **options: Any) -> tuple[int, ...]:
        """Output shape, a tuple."""
        ...

    def output_like(self, *x: Any, **options: Any) -> Array:
        """Zeros in the output format: shape, element type, and scale or fractional bits.

        The result depends on the shapes and formats in ``x``, not on its values.
        """
        ...

    def run(self, *x: Any, **options: Any) -> Result:
        """Apply the kernel."""
        ...

    def work(self, *x_shapes: Any, **options: Any) -> int:
        """Minimum count of ``work_unit`` units that any machine needs.

        Products with padding, and reads of padding, do not count.
        """
        ...

    def data_type(self, *x: Any, **options: Any) -> str:
        """Input and weight types as the library spells them in function names."""
        ...


_MEMBERS = [name for name in vars(Layer) if not name.startswith("_")]


class LayerBase(PlainInts):
    """Base for a layer, a frozen dataclass; the subclass defines ``check`` and ``run``.

    Defaults: one input, an output with the first input's shape and format, work equal to the
    output element count, and ``by_element`` False.
    """

    inputs: int | None = 1
    work_unit  = WorkUnit.ELEMENTS
    by_element = False

    def output_shape(self, *x_shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape: the first input's."""
        return tuple(x_shapes[0])

    def output_like(self, *x: Tensor) -> Tensor:
        """Zeros in the first input's format and the output shape."""
        shape = self.output_shape(*(array.shape for array in x))
        return replace(x[0], data=np.zeros(shape, x[0].data.dtype))

    def work(self, *x_shapes: tuple[int, ...]) -> int:
        """Output elements."""
        return prod(self.output_shape(*x_shapes))

    def data_type(self, *x: Array) -> str:
        """Element type of the first input as the library spells it in function names."""
        return x[0].type_name


def unit_of(layer: DepthwiseConv2d, *x_shapes: tuple[int, ...]) -> WorkUnit:
    """WorkUnit in which ``layer`` counts its work on inputs of ``x_shapes``.

    A layer whose unit depends on the shapes has a method ``unit_on(*x_shapes)``; others have
    ``work_unit``.
    """
    return layer.unit_on(*x_shapes) if hasattr(layer, "unit_on") else layer.work_unit


def run(layer: LayerBase, *inputs: Array) -> Result:
    """Check a Layer's inputs, Arrays from its library, apply the layer and return a Result.

    TypeError if ``layer`` is not a Layer or the input count is wrong; TypeError or ValueError if
    ``layer.check`` refuses the inputs.
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
