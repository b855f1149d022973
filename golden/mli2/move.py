# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 layers that move or find elements: permute, concatenate, argmax."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_ints
from xymac.golden.dimensions import check_order, join_shapes, remove_dimension
from xymac.golden.result import Result

from .checks import check_axis, check_elements
from .layer import QuantLayer
from .tensor import Affine, Element, QuantTensor

if TYPE_CHECKING:
    from xymac.golden.formats import Format
    pass

__all__ = ["ArgMax", "Concat", "Permute"]

_PLACES = Affine(0, 1, 0)  #: Format of tensor indices.


@dataclass(frozen=True)
class Permute(QuantLayer):
    """Permute the dimensions, FX_8, FX_16 or SA_8.

    Source: embARC MLI 2.0, kernels/data_manip, ``mli_krn_permute_*``.

    Parameters
    ----------
    order : tuple of int, the input dimension for each output dimension
    """

    order: tuple[int, ...]

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return tuple(x_shape[axis] for axis in self.order)

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        check_elements("Input", x, Element.FX_8, Element.FX_16, Element.SA_8)
        check_order(self.order, x.data.ndim)

    def output_format(self, x: QuantTensor) -> Format:
        """Output format: scales along a dimension move with it."""
        if not x.is_affine or x.affine.dim < 0:
            return x.format
        return replace(x.affine, dim=self.order.index(x.affine.dim))

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``."""
        data = x.data.transpose(self.order).copy()
        return Result(QuantTensor(data, x.element, self.output_format(x)), overflow=False)


@dataclass(frozen=True)
class Concat(QuantLayer):
    """Concatenate QuantTensors of equal format along one dimension, FX_8, FX_16 or SA_8.

    The library has no such kernel: its users place the inputs inside the output.

    Parameters
    ----------
    axis : int, >= 0; scales do not vary along this dimension
    """

    axis: int

    inputs = None

    def output_shape(self, *x_shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shapes ``x_shapes``."""
        return join_shapes(x_shapes, self.axis)

    def check(self, *inputs: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the QuantTensors can be joined."""
        check_ints("axis", (self.axis,), 1)
        if not inputs:
            raise ValueError("Concat takes at least 1 tensor, not 0")
        first = inputs[0]
        for number, x in enumerate(inputs):
            check_elements(f"Input {number}", x, Element.FX_8, Element.FX_16, Element.SA_8)
            if (x.element, x.format) != (first.element, first.format):
                raise ValueError(f"Input 0 is {first.element.name} in the format {first.format}, "
                                 f"input {number} {x.element.name} in {x.format}")
            if (len(x.shape) != len(first.shape) or remove_dimension(x.shape, self.axis)
                    != remove_dimension(first.shape, self.axis)):
                raise ValueError(f"Input 0 has shape {first.shape}, input {number} has {x.shape}, "
                                 f"which may differ in dimension {self.axis} only")
        if not 0 <= self.axis < first.data.ndim:
            raise ValueError(f"axis must be between 0 and {first.data.ndim - 1}, not {self.axis}")
        if first.is_affine and first.affine.dim == self.axis:
            raise ValueError(f"Scales must not differ along the joined dimension {self.axis}")

    def run(self, *inputs: QuantTensor) -> Result:
        """Result on QuantTensors."""
        data = np.concatenate([x.data for x in inputs], self.axis)
        return Result(QuantTensor(data, inputs[0].element, inputs[0].format), overflow=False)


def _sift(values, heap, size, root):
    """Move ``heap[root]`` down until no child is smaller; the left of equal children moves up."""
    while True:
        smallest = root
        for child in (2 * root + 1, 2 * root + 2):
            if child < size and values[heap[child]] < values[heap[smallest]]:
                smallest = child
        if smallest == root:
            return
        heap[root], heap[smallest] = heap[smallest], heap[root]
        root = smallest


def _largest(values, places, count):
    """The ``count`` elements in ``places`` with the largest values, in the library's order.

    A min-heap starts with the first ``count`` indices. Each later index replaces the root if its
    value is not smaller. Finally the roots are popped to the end of the list.
    """
    heap = places[:count]
    for root in reversed(range(count // 2)):
        _sift(values, heap, count, root)
    for place in places[count:]:
        if values[place] >= values[heap[0]]:
            heap[0] = place
            _sift(values, heap, count, 0)
    for last in reversed(range(1, count)):
        heap[0], heap[last] = heap[last], heap[0]
        _sift(values, heap, last, 0)
    return heap


@dataclass(frozen=True)
class ArgMax(QuantLayer):
    """Indices of the ``topk`` largest elements in descending order, FX_16 or SA_8.

    An index counts elements in the whole tensor in memory order. The library's heap decides the
    order, and the selection, among equal elements.
    Source: embARC MLI 2.0, kernels/diverse, ``mli_krn_argmax_*``.

    Parameters
    ----------
    topk : int, indices per slice
    axis : int, dimension whose every index is a slice; -1 for the whole tensor as one slice
    """

    topk: int
    axis: int = -1

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, int]:
        """Output shape, (slices, topk)."""
        return (1 if self.axis < 0 else x_shape[self.axis]), self.topk

    def output_like(self, x: QuantTensor) -> QuantTensor:
        """Zeros in the output format."""
        return QuantTensor.zeros(self.output_shape(x.shape), Element.SA_32, _PLACES)

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        check_elements("Input", x, Element.FX_16, Element.SA_8)
        check_axis(self.axis, x)
        check_ints("topk", (self.topk,), 1)
        size = x.data.size // self.output_shape(x.shape)[0]
        if not 1 <= self.topk <= size:
            raise ValueError(f"topk must be between 1 and the {size} elements of a slice, "
                             f"not {self.topk}")

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``, SA_32 with scale 1."""
        places = np.arange(x.data.size).reshape(x.shape)
        slices = [places] if self.axis < 0 else np.moveaxis(places, self.axis, 0)
        values = x.data.reshape(-1).tolist()
        ranked = [_largest(values, part.reshape(-1).tolist(), self.topk) for part in slices]
        return Result(QuantTensor(np.array(ranked, np.int32), Element.SA_32, _PLACES),
                      overflow=False)

