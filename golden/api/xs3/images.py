# SPDX-License-Identifier: Apache-2.0
"""Calls on images: convolutions and pools, as a whole or in parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden.xs3.conv import Conv2d1x1, Conv2dDeep, Conv2dDepthwise, Conv2dShallowin
from xymac.golden.xs3.instructions import LANES
from xymac.golden.xs3.pool import AvgPool2d, AvgPool2dGlobal, MaxPool2d
from xymac.golden.xs3.sums import BLOCK
from xymac.golden.xs3.window import Window

from .call import Work, integers
from .memory import check_structure, read, read_count, read_flags
from .types import (
    nn_avgpool2d_flags_e,
    nn_avgpool2d_global_flags_e,
    nn_conv2d_1x1_flags_e,
    nn_conv2d_1x1_job_params_t,
    nn_conv2d_1x1_size_t,
    nn_conv2d_deep_flags_e,
    nn_conv2d_depthwise_flags_e,
    nn_conv2d_shallowin_flags_e,
    nn_image_params_t,
    nn_image_vect_t,
    nn_maxpool2d_flags_e,
    nn_window_op_job_params_t,
    nn_window_params_t,
    nn_window_shape_t,
    nn_window_start_t,
    nn_window_step_t,
)

if TYPE_CHECKING:
    from enum import IntFlag

    from xymac.golden.xs3.integers import Integers

    from .call import Call

__all__ = ["BUILDERS"]

_AXES   = ("rows", "cols", "channels")
_BSO    = 7 * LANES  #: Elements per block.
_FIELDS = ("height", "width", "channels")


def _image(call, name):
    return read(name, getattr(call, name), nn_image_params_t, _FIELDS, low=1)


def _inside(name, start, size, whole):
    """Raise ValueError unless the range from ``start`` with ``size`` lies within ``whole``, ints.
    """
    if start + size > whole:
        raise ValueError(f"{name} of job_params must stay within the {whole} of the output, "
                         f"not reach {start + size}")


def _part(call, whole):
    """Start and size (rows, columns, channels) of the requested part in the output ``whole``."""
    if not hasattr(call, "job_params"):
        return (0, 0, 0), whole
    job = call.job_params
    check_structure("job_params", job, nn_window_op_job_params_t)
    start = read("job_params.start", job.start, nn_image_vect_t, _AXES)
    size  = read("job_params.size", job.size, nn_image_vect_t, _AXES)
    for place in zip(_AXES, start, size, whole, strict=True):
        _inside(*place)
    return start, size


def _slices(start, size):
    return tuple(slice(first, first + count) for first, count in zip(start, size, strict=True))


def _window(params, name, start, size):
    """Window for an output part, and the kernel's (rows, columns)."""
    check_structure(name, params, nn_window_params_t)
    kernel = read(f"{name}.shape", params.shape, nn_window_shape_t, ("height", "width"), low=1)
    step   = read(f"{name}.stride", params.stride, nn_window_step_t, ("vertical", "horizontal"),
                  low=1)
    check_structure(f"{name}.start", params.start, nn_window_start_t)
    begin  = tuple(read_count(f"{name}.start.{field}", getattr(params.start, field), low=-1 << 31)
                   + first * pace
                   for field, first, pace in zip(("row", "column"), start, step, strict=False))
    return Window(tuple(size[:2]), begin, step), kernel


@dataclass(frozen=True)
class _Constants:
    """Where the weights and BSO lie for a part with ``count`` channels.

    They begin at channel ``first``, or cover only this part (``sliced``).
    """

    first:  int
    count:  int
    sliced: bool

    @classmethod
    def of(cls, call: Call, kind: type[IntFlag], start: int, count: int) -> _Constants:
        """Location for ``count`` channels from ``start`` on, with the call's flags.

        ValueError if ``start`` lies within a BSO block.
        """
        if start % LANES:
            raise ValueError(f"start.channels of job_params must be a multiple of {LANES}, "
                             f"not {start}")
        sliced = hasattr(call, "flags") and read_flags(call.flags, kind)
        return cls(0 if sliced else start, count, bool(sliced))

    def weights(self, call: Call, *shape: int) -> Integers:
        """Weights for the part, shape (channels, ...)."""
        size = int(np.prod(shape))
        return call.integers("K", np.int8, (self.count, *shape), self.first * size)

    def bso(self, call: Call) -> Integers:
        """BSO for the part."""
        return call.integers("BSO", np.uint16, (-(-self.count // LANES), 7, LANES),
                             self.first // LANES * _BSO)


def _dense(kind, flags):
    """Builder for a convolution across all channels."""
    def build(call):
        x, whole = _image(call, "x_params"), _image(call, "y_params")
        start, size = _part(call, whole)
        window, kernel = _window(call.conv_window, "conv_window", start, size)
        held = _Constants.of(call, flags, start[2], size[2])
        if 0 in size:
            return None
        if kind is Conv2dShallowin:
            columns: dict[str, Any] = {"columns": kernel[1]}
            kernel  = kernel[0], _columns(x[2])
        else:
            columns = {}
        layer = kind(held.weights(call, *kernel, x[2]), held.bso(call), window,
                     read_count("zero_point", call.zero_point, -128, 127), call.low, **columns)
        target = call.target(np.int8, whole)[_slices(start, size)]
        return Work(layer, (call.integers("X", np.int8, x),), target)
    return build


def _columns(channels):
    """Weight columns in ``conv2d_shallowin``."""
    if BLOCK % channels:
        raise ValueError(f"x_params.channels must divide {BLOCK}, unlike {channels}")
    return BLOCK // channels


def _same_channels(x, y):
    if x[2] != y[2]:
        raise ValueError(f"y_params.channels must be the {x[2]} of the input, not {y[2]}")


def _depthwise(call):
    x, whole = _image(call, "x_params"), _image(call, "y_params")
    _same_channels(x, whole)
    start, size = _part(call, whole)
    window, kernel = _window(call.conv_window, "conv_window", start, size)
    held = _Constants.of(call, nn_conv2d_depthwise_flags_e, start[2], size[2])
    if 0 in size:
        return None
    weights = call.integers("K", np.int8, (*kernel, size[2] if held.sliced else x[2])).data
    layer   = Conv2dDepthwise(
        integers(weights[..., held.first:held.first + held.count]), held.bso(call), window,
        read_count("zero_point", call.zero_point, -128, 127), call.low)
    image = call.integers("X", np.int8, x).data[..., start[2]:start[2] + size[2]]
    return Work(layer, (integers(image),), call.target(np.int8, whole)[_slices(start, size)])


def _pixels(call, whole):
    """(first pixel, first channel) and (pixels, channels) for a ``conv2d_1x1`` part."""
    pixels = whole[0] * whole[1]
    if not hasattr(call, "job_params"):
        return (0, 0), (pixels, whole[2])
    job = call.job_params
    check_structure("job_params", job, nn_conv2d_1x1_job_params_t)
    row, column, channel = read("job_params.start", job.start, nn_image_vect_t, _AXES)
    size  = read("job_params.size", job.size, nn_conv2d_1x1_size_t, ("pixels", "channels"))
    start = row * whole[1] + column, channel
    for place in zip(("pixels", "channels"), start, size, (pixels, whole[2]), strict=True):
        _inside(*place)
    return start, size


def _pointwise(call):
    x, whole = _image(call, "x_params"), _image(call, "y_params")
    if x[:2] != whole[:2]:
        raise ValueError(f"y_params must have the height and width of the input, {x[0]} and "
                         f"{x[1]}, not {whole[0]} and {whole[1]}")
    start, size = _pixels(call, whole)
    held = _Constants.of(call, nn_conv2d_1x1_flags_e, start[1], size[1])
    if 0 in size:
        return None
    layer  = Conv2d1x1(held.weights(call, x[2]), held.bso(call), call.low)
    rows   = whole[:2] if size[0] == whole[0] * whole[1] else (1, size[0])
    image  = call.integers("X", np.int8, (*rows, x[2]), start[0] * x[2])
    target = call.target(np.int8, (*rows, whole[2]), start[0] * whole[2])
    return Work(layer, (image,), target[..., start[1]:start[1] + size[1]])


def _pool(build_layer, flags):
    """Builder for a pooling call; ``build_layer`` gets kernel, window and lowest output."""
    def build(call):
        x, whole = _image(call, "x_params"), _image(call, "y_params")
        _same_channels(x, whole)
        start, size = _part(call, whole)
        window, kernel = _window(call.pooling_window, "pooling_window", start, size)
        if hasattr(call, "flags"):
            read_flags(call.flags, flags)
        if 0 in size:
            return None
        image = call.integers("X", np.int8, x).data[..., start[2]:start[2] + size[2]]
        return Work(build_layer(kernel, window, call.low), (integers(image),),
                    call.target(np.int8, whole)[_slices(start, size)])
    return build


def _global_mean(call):
    x = _image(call, "x_params")
    start, count = 0, x[2]
    if hasattr(call, "flags"):
        start, count = (read_count(name, getattr(call, name))
                        for name in ("chan_start", "chan_count"))
        if start + count > x[2]:
            raise ValueError(f"Channels must stay within the {x[2]} of the input, not reach "
                             f"{start + count}")
        read_flags(call.flags, nn_avgpool2d_global_flags_e)
    if not count:
        return None
    layer = AvgPool2dGlobal(read_count("bias", call.bias, -1 << 31),
                            read_count("scale", call.scale, -128, 127),
                            read_count("shift", call.shift), call.low)
    image = call.integers("X", np.int8, x).data[..., start:start + count]
    return Work(layer, (integers(image),), call.target(np.int8, (count,), start))


_DEEP      = _dense(Conv2dDeep, nn_conv2d_deep_flags_e)
_SHALLOWIN = _dense(Conv2dShallowin, nn_conv2d_shallowin_flags_e)
_MAXPOOL   = _pool(lambda kernel, window, low: MaxPool2d(kernel, window), nn_maxpool2d_flags_e)
_AVGPOOL   = _pool(AvgPool2d, nn_avgpool2d_flags_e)

#: Functions from a call to its Work, None where there is nothing to do, by operator.
BUILDERS = {
    "conv2d_deep": _DEEP, "conv2d_shallowin": _SHALLOWIN, "conv2d_1x1": _pointwise,
    "conv2d_depthwise": _depthwise, "maxpool2d": _MAXPOOL, "avgpool2d": _AVGPOOL,
    "avgpool2d_global": _global_mean,
}
