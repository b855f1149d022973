# SPDX-License-Identifier: Apache-2.0
"""Kernels and helpers that move elements without changing them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_ints, check_kind
from xymac.golden.dimensions import check_order, join_shapes, remove_dimension
from xymac.golden.layer import LayerBase, run
from xymac.golden.result import Result

from .checks import check_image, check_input
from .layout import Layout
from .tensor import Tensor

if TYPE_CHECKING:
    from xymac.golden.array import Array

__all__ = ["CONCAT_MAX", "Concat", "Padding2d", "Permute", "Subtensor", "concat",
           "count_elem_num", "element_size", "padding2d", "permute", "point_to_subtensor"]

CONCAT_MAX = 255  #: Maximum number of inputs. Source: embARC MLI 1.1, ``mli_concat_cfg``.


def _check_int(name, value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")


@dataclass(frozen=True)
class Concat(LayerBase):
    """Concatenate tensors along one dimension.

    Parameters
    ----------
    axis : int, >= 0
    """

    axis: int

    inputs = None

    def output_shape(self, *x_shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shapes ``x_shapes``."""
        return join_shapes(x_shapes, self.axis)

    def check(self, *inputs: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensors."""
        _check_int("axis", self.axis)
        if not 1 <= len(inputs) <= CONCAT_MAX:
            raise ValueError(f"Concat takes 1 to {CONCAT_MAX} tensors, not {len(inputs)}")
        for number, x in enumerate(inputs):
            check_input(f"Input {number}", x)
        first = inputs[0]
        if not 0 <= self.axis < first.data.ndim:
            raise ValueError(f"axis must be between 0 and {first.data.ndim - 1}, not {self.axis}")
        for number, x in enumerate(inputs):
            if (x.bits, x.frac_bits) != (first.bits, first.frac_bits):
                raise ValueError(
                    f"Input 0 has {first.bits} bits, {first.frac_bits} of them fractional, "
                    f"input {number} has {x.bits} and {x.frac_bits}")
            if (len(x.shape) != len(first.shape) or remove_dimension(x.shape, self.axis)
                    != remove_dimension(first.shape, self.axis)):
                raise ValueError(f"Input 0 has shape {first.shape}, input {number} has {x.shape}, "
                                 f"which may differ in dimension {self.axis} only")

    def run(self, *inputs: Tensor) -> Result:
        """Result on Tensors; see ``concat``."""
        data = np.concatenate([x.data for x in inputs], self.axis)
        return Result(Tensor(data, inputs[0].frac_bits), overflow=False)


@dataclass(frozen=True)
class Permute(LayerBase):
    """Permute the dimensions.

    Parameters
    ----------
    order : tuple of int, the input dimension for each output dimension
    """

    order: tuple[int, ...]

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return tuple(x_shape[axis] for axis in self.order)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_input("Input", x)
        check_order(self.order, x.data.ndim)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``permute``."""
        return Result(Tensor(x.data.transpose(self.order).copy(), x.frac_bits), overflow=False)


@dataclass(frozen=True)
class Padding2d(LayerBase):
    """Pad every image channel with zeros.

    Parameters
    ----------
    pad : (top, bottom, left, right), elements
    layout : Layout, for input and output
    """

    pad:    tuple[int, ...]
    layout: Layout = Layout.CHW

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return tuple(size + sum(pads) for size, pads in zip(x_shape, self.widths, strict=True))

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_kind("layout", self.layout, Layout)
        check_ints("pad", self.pad, 4)
        check_image(x)
        if min(self.pad) < 0:
            raise ValueError(f"Padding must be at least 0, not {min(self.pad)}")

    @property
    def widths(self) -> tuple[tuple[int, ...], ...]:
        """Zeros before and after, for every dimension."""
        top, bottom, left, right = self.pad
        image = ((top, bottom), (left, right))
        return ((0, 0), *image) if self.layout is Layout.CHW else (*image, (0, 0))

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``padding2d``."""
        return Result(Tensor(np.pad(x.data, self.widths), x.frac_bits), overflow=False)


@dataclass(frozen=True)
class Subtensor(LayerBase):
    """A contiguous part of the input.

    Parameters
    ----------
    start : tuple of int, start index in each of the input's first dimensions
    first_out_dim_size : int, result size along the last dimension in ``start``
    """

    start:              tuple[int, ...]
    first_out_dim_size: int

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return (self.first_out_dim_size, *x_shape[len(self.start):])

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the helper can process the Tensor ``x``."""
        check_input("Input", x)
        if not isinstance(self.start, tuple) or not 1 <= len(self.start) <= x.data.ndim:
            raise TypeError(f"start must be a tuple of 1 to {x.data.ndim} ints, "
                            f"not {self.start!r}")
        check_ints("start", self.start, len(self.start))
        _check_int("first_out_dim_size", self.first_out_dim_size)
        for axis, coordinate in enumerate(self.start):
            if not 0 <= coordinate < x.shape[axis]:
                raise ValueError(f"Coordinate {axis} must be between 0 and {x.shape[axis] - 1}, "
                                 f"not {coordinate}")
        left = x.shape[len(self.start) - 1] - self.start[-1]
        if not 1 <= self.first_out_dim_size <= left:
            raise ValueError(f"first_out_dim_size must be between 1 and {left}, "
                             f"not {self.first_out_dim_size}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``point_to_subtensor``."""
        *outer, last = self.start
        data = x.data[tuple(outer)][last:last + self.first_out_dim_size]
        return Result(Tensor(data, x.frac_bits), overflow=False)


def concat(*inputs: Tensor, axis: int) -> Result:
    """Concatenate tensors along the dimension ``axis``, fx8 or fx16.

    Parameters
    ----------
    inputs : 1 to ``CONCAT_MAX`` Tensors of equal type, fractional bits and shape, except along
        ``axis``

    Returns a Result; its output has the inputs' dtype and fractional bits. ValueError or
    TypeError if ``Concat.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/data_manip, ``mli_krn_concat_*``.
    """
    return run(Concat(axis), *inputs)


def permute(x: Tensor, order: tuple[int, ...]) -> Result:
    """Permute the dimensions, fx8 or fx16.

    Parameters
    ----------
    x : Tensor with 1 to 4 dimensions
    order : see ``Permute``

    Returns a Result; its output has the dtype and fractional bits of ``x``. ValueError or TypeError
    if ``Permute.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/data_manip, ``mli_krn_permute_*``.
    """
    return run(Permute(order), x)


def padding2d(x: Tensor, pad: tuple[int, ...], *, layout: Layout = Layout.CHW) -> Result:
    """Pad every image channel with zeros, fx8 or fx16.

    Parameters
    ----------
    x : Tensor, shape (C, H, W) for CHW, (H, W, C) for HWC
    pad, layout : see ``Padding2d``

    Returns a Result; its output has the dtype and fractional bits of ``x``. ValueError or TypeError
    if ``Padding2d.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/data_manip, ``mli_krn_padding2d_chw_*``,
    ``mli_krn_padding2d_hwc_*``.
    """
    return run(Padding2d(pad, layout), x)


def point_to_subtensor(x: Tensor, start: tuple[int, ...], first_out_dim_size: int) -> Array:
    """Contiguous part of ``x`` from the index ``start`` on; it shares the elements of ``x``.

    Parameters
    ----------
    x : Tensor with 1 to 4 dimensions
    start, first_out_dim_size : see ``Subtensor``

    Returns a Tensor with the fractional bits of ``x`` and shape ``(first_out_dim_size,
    *x.shape[len(start):])``. ValueError or TypeError if ``Subtensor.check`` refuses the call.
    Source: embARC MLI 1.1, helpers/src/mli_helpers.cc, ``mli_hlp_point_to_subtensor``.
    """
    return run(Subtensor(start, first_out_dim_size), x).output


def count_elem_num(x: Tensor, start_dim: int = 0) -> int:
    """Element count in a Tensor over the dimensions from ``start_dim`` on.

    ValueError unless ``start_dim`` lies between 0 and the rank; the count is 1 if it equals the
    rank.
    Source: embARC MLI 1.1, helpers/src/mli_helpers.cc, ``mli_hlp_count_elem_num``.
    """
    check_kind("Input", x, Tensor)
    _check_int("start_dim", start_dim)
    if not 0 <= start_dim <= x.data.ndim:
        raise ValueError(f"start_dim must be between 0 and {x.data.ndim}, not {start_dim}")
    return prod(x.shape[start_dim:])


def element_size(x: Tensor) -> int:
    """Element size in bytes.

    Source: embARC MLI 1.1, helpers/src/mli_helpers.cc.
    """
    check_kind("Input", x, Tensor)
    return x.data.itemsize
