"""Kernels of MLI 2.0 that move elements or find them: permute and argmax."""

from dataclasses import dataclass

import numpy as np

from ..ints import PlainInts
from ..refuse import check_ints
from ..tensor import Result
from .refuse import check_axis, check_elements
from .tensor import Affine, Element, QuantTensor

__all__ = ["ArgMax", "Permute", "run_arg_max", "run_permute"]


@dataclass(frozen=True)
class Permute(PlainInts):
    """Dimensions in another order, FX_8, FX_16 or SA_8.

    Source: embARC MLI 2.0, kernels/data_manip, ``mli_krn_permute_*``.

    Parameters
    ----------
    order : tuple of int, the input's dimension for each dimension of the output
    """

    order: tuple

    def output_shape(self, x_shape):
        """Shape of the output for a legal input of ``x_shape``."""
        return tuple(x_shape[axis] for axis in self.order)

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        check_elements("Input", x, Element.FX_8, Element.FX_16, Element.SA_8)
        check_ints("order", self.order, x.data.ndim)
        if sorted(self.order) != list(range(x.data.ndim)):
            raise ValueError(f"order must hold every dimension from 0 to {x.data.ndim - 1} once, "
                             f"not {self.order}")


def run_permute(layer, x):
    """Apply a ``Permute`` to the QuantTensor ``x``; scales along a dimension move with it."""
    layer.check(x)
    kind = x.format
    if x.is_affine and kind.dim >= 0:
        kind = Affine(kind.zero_point, kind.scale, kind.scale_frac_bits,
                      layer.order.index(kind.dim))
    return Result(QuantTensor(x.data.transpose(layer.order).copy(), x.element, kind),
                  overflow=False)


@dataclass(frozen=True)
class ArgMax(PlainInts):
    """Places of the largest elements, from the largest on, FX_16 or SA_8.

    A place counts elements of the whole tensor in memory order. Which of equal elements come
    first, or at all, is what the heap of the library leaves.
    Source: embARC MLI 2.0, kernels/diverse, ``mli_krn_argmax_*``.

    Parameters
    ----------
    topk : int, places of each slice
    axis : int, dimension whose every index is a slice, -1 for one slice of the whole tensor
    """

    topk: int
    axis: int = -1

    def output_shape(self, x_shape):
        """Shape of the output, (slices, topk)."""
        return (1 if self.axis < 0 else x_shape[self.axis]), self.topk

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        check_elements("Input", x, Element.FX_16, Element.SA_8)
        check_axis(self.axis, x)
        check_ints("topk", (self.topk,), 1)
        size = x.data.size // self.output_shape(x.shape)[0]
        if not 1 <= self.topk <= size:
            raise ValueError(f"topk must be between 1 and the {size} elements of a slice, "
                             f"not {self.topk}")


def _sift(values, heap, size, root):
    """Move ``heap[root]`` down until neither child is smaller; the left one goes first."""
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
    """The ``count`` of ``places`` with the largest values, in the order of the library.

    A heap of the first ones, its smallest at the root, takes in every later one that is not
    smaller than its root; then the roots are taken off from the end.
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


def run_arg_max(layer, x):
    """Apply an ``ArgMax`` to the QuantTensor ``x``; the output is SA_32 of scale 1."""
    layer.check(x)
    places = np.arange(x.data.size).reshape(x.shape)
    slices = [places] if layer.axis < 0 else np.moveaxis(places, layer.axis, 0)
    values = x.data.reshape(-1).tolist()
    found  = [_largest(values, part.reshape(-1).tolist(), layer.topk) for part in slices]
    return Result(QuantTensor(np.array(found, np.int32), Element.SA_32, Affine(0, 1, 0)),
                  overflow=False)
