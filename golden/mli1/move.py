"""Kernels and helpers that move elements without changing them."""

from dataclasses import dataclass
from math import prod

import numpy as np

from golden.checks import check_ints, check_kind
from golden.dimensions import check_order, join_shapes, remove_dimension
from golden.layer import LayerBase, run
from golden.result import Result

from .checks import check_image, check_input
from .layout import Layout
from .tensor import Tensor

__all__ = ["CONCAT_MAX", "Concat", "Padding2d", "Permute", "Subtensor", "concat",
           "count_elem_num", "element_size", "padding2d", "permute", "point_to_subtensor"]

CONCAT_MAX = 255  #: Tensors at a time. Source: embARC MLI 1.1, ``mli_concat_cfg``, of 8 bits.


def _check_int(name, value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")


@dataclass(frozen=True)
class Concat(LayerBase):
    """Tensors one after the other along one dimension.

    Parameters
    ----------
    axis : int, from 0
    """

    axis: int

    inputs = None

    def output_shape(self, *x_shapes):
        """Shape of the output for legal inputs of ``x_shapes``."""
        return join_shapes(x_shapes, self.axis)

    def check(self, *inputs):
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

    def run(self, *inputs):
        """Result on Tensors; see ``concat``."""
        data = np.concatenate([x.data for x in inputs], self.axis)
        return Result(Tensor(data, inputs[0].frac_bits), overflow=False)


@dataclass(frozen=True)
class Permute(LayerBase):
    """Dimensions in another order.

    Parameters
    ----------
    order : tuple of int, the input's dimension for each dimension of the output
    """

    order: tuple

    def output_shape(self, x_shape):
        """Shape of the output for a legal input of ``x_shape``."""
        return tuple(x_shape[axis] for axis in self.order)

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_input("Input", x)
        check_order(self.order, x.data.ndim)

    def run(self, x):
        """Result on the Tensor ``x``; see ``permute``."""
        return Result(Tensor(x.data.transpose(self.order).copy(), x.frac_bits), overflow=False)


@dataclass(frozen=True)
class Padding2d(LayerBase):
    """Zeros around every channel of an image.

    Parameters
    ----------
    pad : (top, bottom, left, right), elements
    layout : Layout, of input and output
    """

    pad:    tuple
    layout: Layout = Layout.CHW

    def output_shape(self, x_shape):
        """Shape of the output for a legal input of ``x_shape``."""
        return tuple(size + sum(pads) for size, pads in zip(x_shape, self.widths, strict=True))

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_kind("layout", self.layout, Layout)
        check_ints("pad", self.pad, 4)
        check_image(x)
        if min(self.pad) < 0:
            raise ValueError(f"Padding must be at least 0, not {min(self.pad)}")

    @property
    def widths(self):
        """Zeros before and after, for every dimension."""
        top, bottom, left, right = self.pad
        image = ((top, bottom), (left, right))
        return ((0, 0), *image) if self.layout is Layout.CHW else (*image, (0, 0))

    def run(self, x):
        """Result on the Tensor ``x``; see ``padding2d``."""
        return Result(Tensor(np.pad(x.data, self.widths), x.frac_bits), overflow=False)


@dataclass(frozen=True)
class Subtensor(LayerBase):
    """Elements that lie together in the input, from a coordinate on.

    Parameters
    ----------
    start : tuple of int, coordinates in the first dimensions of the input
    first_out_dim_size : int, size in the last dimension that ``start`` names
    """

    start:              tuple
    first_out_dim_size: int

    def output_shape(self, x_shape):
        """Shape of the output for a legal input of ``x_shape``."""
        return (self.first_out_dim_size, *x_shape[len(self.start):])

    def check(self, x):
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

    def run(self, x):
        """Result on the Tensor ``x``; see ``point_to_subtensor``."""
        *outer, last = self.start
        data = x.data[tuple(outer)][last:last + self.first_out_dim_size]
        return Result(Tensor(data, x.frac_bits), overflow=False)


def concat(*inputs, axis):
    """Tensors one after the other along the dimension ``axis``, fx8 or fx16.

    Parameters
    ----------
    inputs : 1 to ``CONCAT_MAX`` Tensors of one type, one number of fractional bits and one shape
        but for ``axis``
    axis : int

    Returns a Result with an output of the dtype and fractional bits of the inputs; ValueError or
    TypeError for a call that ``Concat.check`` refuses.
    Source: embARC MLI 1.1, kernels/data_manip, ``mli_krn_concat_*``.
    """
    return run(Concat(axis), *inputs)


def permute(x, order):
    """Dimensions in another order, fx8 or fx16.

    Parameters
    ----------
    x : Tensor of 1 to 4 dimensions
    order : see ``Permute``

    Returns a Result with an output of the dtype and fractional bits of ``x``; ValueError or
    TypeError for a call that ``Permute.check`` refuses.
    Source: embARC MLI 1.1, kernels/data_manip, ``mli_krn_permute_*``.
    """
    return run(Permute(order), x)


def padding2d(x, pad, *, layout=Layout.CHW):
    """Zeros around every channel of an image, fx8 or fx16.

    Parameters
    ----------
    x : Tensor, shape (C, H, W) for CHW, (H, W, C) for HWC
    pad, layout : see ``Padding2d``

    Returns a Result with an output of the dtype and fractional bits of ``x``; ValueError or
    TypeError for a call that ``Padding2d.check`` refuses.
    Source: embARC MLI 1.1, kernels/data_manip, ``mli_krn_padding2d_chw_*``,
    ``mli_krn_padding2d_hwc_*``.
    """
    return run(Padding2d(pad, layout), x)


def point_to_subtensor(x, start, first_out_dim_size):
    """Tensor that shares the elements of ``x`` from the coordinate ``start`` on.

    Parameters
    ----------
    x : Tensor of 1 to 4 dimensions
    start, first_out_dim_size : see ``Subtensor``

    Returns a Tensor with the fractional bits of ``x``, of shape
    ``(first_out_dim_size, *x.shape[len(start):])``; ValueError or TypeError for a call that
    ``Subtensor.check`` refuses.
    Source: embARC MLI 1.1, helpers/src/mli_helpers.cc, ``mli_hlp_point_to_subtensor``.
    """
    return run(Subtensor(start, first_out_dim_size), x).output


def count_elem_num(x, start_dim=0):
    """Elements of a Tensor in the dimensions from ``start_dim`` on.

    ValueError unless ``start_dim`` is between 0 and the number of dimensions (where the count
    is 1).
    Source: embARC MLI 1.1, helpers/src/mli_helpers.cc, ``mli_hlp_count_elem_num``.
    """
    check_kind("Input", x, Tensor)
    _check_int("start_dim", start_dim)
    if not 0 <= start_dim <= x.data.ndim:
        raise ValueError(f"start_dim must be between 0 and {x.data.ndim}, not {start_dim}")
    return prod(x.shape[start_dim:])


def element_size(x):
    """Bytes of one element of a Tensor.

    Source: embARC MLI 1.1, helpers/src/mli_helpers.cc.
    """
    check_kind("Input", x, Tensor)
    return x.data.itemsize
