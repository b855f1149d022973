# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators that repeat elements or reverse their order."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.golden.checks import check_ints, check_kind
from xymac.golden.tflm.checks import check_flag, check_types
from xymac.golden.tflm.tensor import Quantisation

from .move import check_axis
from .pick import Picked

__all__ = ["BroadcastTo", "Fill", "MirrorPad", "ReverseV2", "Tile", "ZerosLike"]

_BROADCAST = 5  #: Dimensions at most. Source: tensorflow/lite/micro/kernels/broadcast_to.cc.


def _number(shape):
    """Flat indices (C order) in an array of ``shape``."""
    return np.arange(prod(shape)).reshape(shape)


def _check_shape(shape):
    check_ints("shape", shape)
    if min(shape, default=1) < 1:
        raise ValueError(f"shape must hold sizes of at least 1, not {shape}")


@dataclass(frozen=True)
class BroadcastTo(Picked):
    """BROADCAST_TO: broadcast a tensor to a shape; any type.

    Source: tensorflow/lite/kernels/internal/reference/broadcast_to.h.

    Parameters
    ----------
    shape : tuple of int, output shape
    out : output Quantisation; None for the input's
    """

    shape: tuple[int, ...]
    out:   Quantisation | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """Flat input index (C order) per output element, int64 in the output shape."""
        return np.broadcast_to(_number(x_shape), self.shape)

    def _check_place(self, x):
        self._whole(x)
        _check_shape(self.shape)
        if len(self.shape) > _BROADCAST:
            raise ValueError(f"shape must have at most {_BROADCAST} dimensions, "
                             f"not {len(self.shape)}")
        rank = x.data.ndim
        if rank > len(self.shape) or any(
                size not in (1, wanted) for size, wanted in zip(
                    x.shape, self.shape[len(self.shape) - rank:], strict=True)):
            raise ValueError(f"shape must be one that {x.shape} can be repeated to, "
                             f"not {self.shape}")


@dataclass(frozen=True)
class Fill(Picked):
    """FILL: a tensor with one value everywhere, INT8, INT16 or INT32.

    Source: tensorflow/lite/micro/kernels/fill.cc; for INT16 tensorflow/lite/kernels/fill.cc.

    Parameters
    ----------
    shape : tuple of int, output shape
    out : output Quantisation; None for the input's
    """

    shape: tuple[int, ...]
    out:   Quantisation | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """0 for every output element."""
        return np.zeros(self.shape, np.int64)

    def _check_place(self, x):
        check_types("Input", x, "INT8", "INT16", "INT32", "FLOAT32")
        self._whole(x)
        if x.data.ndim:
            raise ValueError(f"Input must have 0 dimensions, not {x.data.ndim}")
        _check_shape(self.shape)


@dataclass(frozen=True)
class MirrorPad(Picked):
    """MIRROR_PAD: pad a tensor with its elements in reverse order, INT8 or INT16.

    Source: tensorflow/lite/micro/kernels/mirror_pad.cc; for INT16
    tensorflow/lite/kernels/mirror_pad.cc.

    Parameters
    ----------
    pads : tuple of (before, behind), elements, for each dimension
    symmetric : bool, whether the padding repeats the elements at the ends
    out : output Quantisation; None for the input's
    """

    pads:      tuple[tuple[int, ...], ...]
    symmetric: bool = False
    out:       Quantisation | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """Flat input index (C order) per output element, int64 in the output shape."""
        return np.pad(_number(x_shape), self.pads, "symmetric" if self.symmetric else "reflect")

    def _check_place(self, x):
        check_types("Input", x, "INT8", "INT16", "FLOAT32")
        self._whole(x)
        check_flag("symmetric", self.symmetric)
        check_kind("pads", self.pads, tuple)
        if len(self.pads) != x.data.ndim:
            raise ValueError(f"pads must have {x.data.ndim} entries, not {len(self.pads)}")
        for size, pair in zip(x.shape, self.pads, strict=True):
            check_ints("Each of pads", pair, 2)
            most = size if self.symmetric else size - 1
            if min(pair) < 0 or max(pair) > most:
                raise ValueError(f"pads must be between 0 and {most}, the elements that there are "
                                 f"to repeat, not {pair}")


@dataclass(frozen=True)
class ReverseV2(Picked):
    """REVERSE_V2: reverse adjacent dimensions; any type.

    Source: tensorflow/lite/micro/kernels/reverse.cc.

    Parameters
    ----------
    axes : tuple of int, dimensions; negative values count from the end
    out : output Quantisation; None for the input's
    """

    axes: tuple[int, ...]
    out:  Quantisation | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """Flat input index (C order) per output element, int64 in the output shape."""
        return np.flip(_number(x_shape), self.axes)

    def _check_place(self, x):
        self._whole(x)
        check_ints("axes", self.axes)
        rank = x.data.ndim
        for axis in self.axes:
            check_axis(axis, rank)
        axes = sorted(axis % rank for axis in self.axes)
        if not axes or axes != list(range(axes[0], axes[0] + len(axes))):
            raise ValueError(f"axes must be dimensions next to one another, not {self.axes}")


@dataclass(frozen=True)
class Tile(Picked):
    """TILE: a tensor several times behind itself along its dimensions; any type.

    Source: tensorflow/lite/kernels/tile.cc; tflite-micro has no kernel.

    Parameters
    ----------
    times : tuple of int, at least 1 for each dimension
    out : output Quantisation; None for the input's
    """

    times: tuple[int, ...]
    out:   Quantisation | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """Flat input index (C order) per output element, int64 in the output shape."""
        return np.tile(_number(x_shape), self.times)

    def _check_place(self, x):
        self._whole(x)
        check_ints("times", self.times, x.data.ndim)
        if min(self.times, default=1) < 1:
            raise ValueError(f"times must be at least 1 for each dimension, not {self.times}")


@dataclass(frozen=True)
class ZerosLike(Picked):
    """ZEROS_LIKE: a tensor of integer zeros, whatever the zero point; INT8, INT32, INT64.

    Source: tensorflow/lite/micro/kernels/zeros_like.cc.

    Parameters
    ----------
    out : output Quantisation; None for the input's
    """

    out: Quantisation | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """-1 for every output element."""
        return np.full(x_shape, -1)

    def _check_place(self, x):
        check_types("Input", x, "INT8", "INT32", "INT64", "FLOAT32")
        self._whole(x)
