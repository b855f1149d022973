# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite tensor slices: contiguous boxes and strided slices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_ints
from xymac.golden.ints import plain
from xymac.golden.parameters.tflm.places import strided_range
from xymac.golden.tflm.checks import check_most
from xymac.golden.tflm.tensor import Quantisation

from .move import Moved

__all__ = ["Slice", "StridedSlice"]

_SLICE_RANK   = 5  #: Dimensions at most. Source: tensorflow/lite/micro/kernels/slice.cc.
_STRIDED_RANK = 4  #: Dimensions at most. Source: tensorflow/lite/micro/kernels/strided_slice.cc.


@dataclass(frozen=True)
class Slice(Moved):
    """SLICE: a contiguous element box.

    Source: tensorflow/lite/micro/kernels/slice.cc.

    Parameters
    ----------
    begin : tuple of int, first index along each dimension
    size : tuple of int, elements along each dimension, -1 for all to the end
    out : output Quantisation; None for the input's
    """

    begin: tuple[int, ...]
    size:  tuple[int, ...]
    out:   Quantisation | None = None

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return tuple(whole - begin if size == -1 else size
                     for whole, begin, size in zip(x_shape, self.begin, self.size, strict=True))

    def _check_place(self, x):
        self._whole(x)
        check_most("Input", x, _SLICE_RANK)
        for name in ("begin", "size"):
            check_ints(name, getattr(self, name), x.data.ndim)
        sizes = self.output_shape(x.shape)
        for axis, (whole, begin, size) in enumerate(zip(x.shape, self.begin, sizes, strict=True)):
            if begin < 0 or size < 1 or begin + size > whole:
                raise ValueError(f"Slice must lie within the {whole} elements of dimension "
                                 f"{axis}, but takes {size} from {begin} on")

    def take(self, data: np.ndarray) -> np.ndarray:
        """The output elements."""
        sizes = self.output_shape(data.shape)
        return data[tuple(slice(begin, begin + size)
                          for begin, size in zip(self.begin, sizes, strict=True))]


@dataclass(frozen=True)
class StridedSlice(Moved):
    """STRIDED_SLICE: every n-th element along each dimension, in either direction.

    Source: tensorflow/lite/kernels/internal/strided_slice_logic.h.

    Parameters
    ----------
    begin, end : tuple of int, None for no limit (a set bit in the operator's mask); negative values
        count from the end
    strides : tuple of int, not 0
    shrink : tuple of int, dimensions to remove; the slice takes their index ``begin``
    out : output Quantisation; None for the input's
    """

    begin:   tuple[int | None, ...]
    end:     tuple[int | None, ...]
    strides: tuple[int, ...]
    shrink:  tuple[int, ...] = ()
    out:     Quantisation | None = None

    def ranges(self, x_shape: tuple[int, ...]) -> list[range]:
        """Index range along each dimension; a removed dimension has one index."""
        ranges = [range(*strided_range(*each)) for each in
                  zip(x_shape, self.begin, self.end, self.strides, strict=True)]
        for axis in self.shrink:
            ranges[axis] = range(ranges[axis].start, ranges[axis].start + 1)
        return ranges

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return tuple(len(places) for axis, places in enumerate(self.ranges(x_shape))
                     if axis not in self.shrink)

    def _check_place(self, x):
        self._whole(x)
        rank = x.data.ndim
        check_most("Input", x, _STRIDED_RANK)
        for name in ("begin", "end"):
            values = plain(getattr(self, name))
            known  = tuple(value for value in values if value is not None) if isinstance(
                values, tuple) else values
            check_ints(name, known, len(known) if isinstance(known, tuple) else rank)
            if len(values) != rank:
                raise ValueError(f"{name} must have {rank} entries, not {len(values)}")
        check_ints("strides", self.strides, rank)
        if 0 in self.strides:
            raise ValueError(f"strides must not be 0, not {self.strides}")
        check_ints("shrink", self.shrink)
        for axis in self.shrink:
            if not 0 <= axis < rank:
                raise ValueError(f"shrink must hold dimensions from 0 to {rank - 1}, not {axis}")
        for axis, places in enumerate(self.ranges(x.shape)):
            if not places or not 0 <= places[0] < x.shape[axis]:
                raise ValueError(f"Slice of dimension {axis} must have an element, not {places}")

    def take(self, data: np.ndarray) -> np.ndarray:
        """The output elements."""
        places = np.ix_(*map(list, self.ranges(data.shape)))
        return data[places].reshape(self.output_shape(data.shape))
