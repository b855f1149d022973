# SPDX-License-Identifier: Apache-2.0
"""Newer lib_nn functions around a ring buffer that holds accumulators.

They gather a window (``memcpyfn_*``), sum its products in a ring buffer (``mat_mul_*``,
``maxpool_direct``), and transform the sums to outputs (``otfn_*``). ``otfn_int8`` and
``otfn_int8_channelwise`` run on a device; this module computes the others. Memory ends in zeros.
Source: lib_nn 0.4.0, src/cpp/MemCpyFn.cpp, AggregateFn.cpp, MaxPoolAgg.cpp, OutputTransformFn.cpp.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.xs3.bso import clip8
from xymac.golden.xs3.instructions import (
    LANES,
    shift_round,
    vdepth1,
    vladd,
    vlashr,
    vlmacc,
    vlmaccr,
    vlmaccr1,
    vlmul,
    vpos,
)

from .memory import check_structure, read_count, view, writable
from .ring_types import (
    mat_mul_direct_params_t,
    mat_mul_dw_direct_params_t,
    mat_mul_generic_params_t,
    memcpyfn_deref_params_t,
    memcpyfn_imtocol_padded_params_t,
    memcpyfn_imtocol_valid_params_t,
    otfn_int8_clamped_params_t,
)
from .types import VPURingBuffer, otfn_int8_channelwise_params_t

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

__all__ = ["ACTIONS", "PROTOTYPES", "add_depthwise", "add_direct", "read_channels"]

_VECTOR = 32       #: Bytes.
_LEAST  = -1 << 31


def _fields(params, kind):
    """All fields in a structure, a dict of signed or unsigned 32-bit ints."""
    check_structure("params", params, kind)
    return {name: read_count(f"params.{name}", value, low=_LEAST, high=(1 << 32) - 1)
            for name, value in vars(params).items()}


class _Memory:
    """Memory behind a pointer as signed bytes; bytes beyond its end read as 0."""

    def __init__(self, name: str, memory: np.ndarray) -> None:
        self._bytes = view(name, memory, np.int8, (memory.nbytes if isinstance(
            memory, np.ndarray) else 0,))

    def vector(self, start: int, count: int = _VECTOR) -> np.ndarray:
        """``count`` bytes from ``start`` on."""
        inside = self._bytes[max(start, 0):max(start + count, 0)]
        before = min(max(-start, 0), count)
        return np.pad(inside, (before, count - before - len(inside)))


def _store(ring, acc):
    """Put accumulators into a ring buffer."""
    check_structure("A", ring, VPURingBuffer)
    low, high = (writable(f"A.{name}", getattr(ring, name), np.int16, (LANES,))
                 for name in ("vR", "vD"))
    words     = acc.astype(np.int32)
    high[:]   = words >> 16
    low[:]    = words.astype(np.int16)


def _add_generic(add, params, A, T, output_channel_group, weights):
    """Add a gathered window's products with the weights for up to 16 channels."""
    fields = _fields(params, mat_mul_generic_params_t)
    each   = fields["bytes_per_kernel_channel"]
    first  = read_count("output_channel_group", output_channel_group) * LANES
    held   = min(fields["output_slice_channel_count"] - first, LANES)
    if held < 1 or each < 1:
        raise ValueError(f"Channels and bytes of each must be at least 1, not {held} and {each}")
    window, kernel = _Memory("T", T), _Memory("weights", weights)
    whole, rest    = divmod(each - 1, _VECTOR)
    acc, place     = np.zeros(LANES, np.int64), each * first
    for block in range(whole):
        vector = window.vector(block * _VECTOR)
        for lane in range(LANES):
            acc = add(acc, vector, kernel.vector(place + lane * _VECTOR))
        place += held * _VECTOR
    vector = window.vector(whole * _VECTOR)
    for lane in range(held):
        acc = add(acc, vector, kernel.vector(place + lane * (rest + 1)))
    _store(A, acc)


def add_direct(add: Callable, params: mat_mul_direct_params_t, A: VPURingBuffer, X: np.ndarray,
               output_channel_group: int, weights: np.ndarray) -> None:
    """Add the products between a window in an image and the weights for 16 channels."""
    fields = _fields(params, mat_mul_direct_params_t)
    kernel = _Memory("weights", weights)
    place  = fields["bytes_per_kernel_channel"] * read_count("output_channel_group",
                                                             output_channel_group)
    acc = np.zeros(LANES, np.int64)
    for vector in _window(fields, _Memory("X", X), fields["input_channel_loop_counter"] + 1):
        for _ in range(LANES):
            acc    = add(acc, vector, kernel.vector(place))
            place += _VECTOR
    _store(A, acc)


def _window(fields, image, vectors=1, size=_VECTOR, step=_VECTOR):
    """Vectors in a window in memory, pixel by pixel, ``step`` bytes apart."""
    place = 0
    for _ in range(fields["k_height_loop_counter"] + 1):
        for _ in range(fields["k_width_loop_counter"] + 1):
            for _ in range(vectors):
                yield image.vector(place, size)
                place += step
            place += fields["inner_x_h_step"]
        place += fields["inner_x_v_step"]


def add_depthwise(dtype: npt.DTypeLike, params: mat_mul_dw_direct_params_t, A: VPURingBuffer,
                  T: np.ndarray, output_channel_group: int, weights: np.ndarray) -> None:
    """Add products channel by channel, for ``dtype`` elements."""
    fields = _fields(params, mat_mul_dw_direct_params_t)
    size   = LANES * np.dtype(dtype).itemsize
    kernel = _Memory("weights", weights)
    place  = fields["bytes_per_kernel_channel_group"] * read_count("output_channel_group",
                                                                   output_channel_group)
    acc = np.zeros(LANES, np.int64)
    for vector in _window(fields, _Memory("T", T), size=size, step=0):
        acc    = vlmacc(acc, vector.view(dtype), kernel.vector(place, size).view(dtype),
                        8 * np.dtype(dtype).itemsize)
        place += size
    _store(A, acc)


def _maximum(params, A, T):
    """Maxima over 16 channels, written to the first bytes of vR."""
    fields = _fields(params, mat_mul_dw_direct_params_t)
    check_structure("A", A, VPURingBuffer)
    target = writable("A.vR", A.vR, np.int8, (LANES,))
    most   = np.full(LANES, -128, np.int8)
    for vector in _window(fields, _Memory("T", T), size=LANES, step=0):
        most = np.maximum(most, vector)
    target[:] = most


def read_channels(params: object, kind: type, group: int) -> tuple[dict[str, int], int, int]:
    """Transform fields, a group's first channel, and its channel count."""
    fields = _fields(params, kind)
    first  = read_count("output_channel_group", group) * LANES
    whole  = fields["output_slice_channel_count"]
    count  = min(whole - first, LANES)
    if count < 1:
        raise ValueError(f"output_channel_group must be less than {-(-whole // LANES)}, "
                         f"not {group}")
    return fields, first, count


def _behind(Y, count):
    """Memory after the ``count`` written bytes."""
    return view("Y", Y, np.int8, (Y.nbytes - count,), count)


def _copy_maximum(params, Y, A, output_channel_group, multipliers_and_biases):
    _, _, count = read_channels(params, otfn_int8_channelwise_params_t, output_channel_group)
    check_structure("A", A, VPURingBuffer)
    writable("Y", Y, np.int8, (count,))[:] = view("A.vR", A.vR, np.int8, (count,))
    return _behind(Y, count)


def _clamped(params, Y, A, output_channel_group, offsets_multipliers_and_biases):
    """Outputs from 16-bit sums, clamped at 0 after their offset is added."""
    fields, first, count = read_channels(params, otfn_int8_clamped_params_t, output_channel_group)
    check_structure("A", A, VPURingBuffer)
    offset, scale, bias = view("offsets_multipliers_and_biases", offsets_multipliers_and_biases,
                               np.int16, (3, count), 3 * first).astype(np.int64)
    values = vpos(vladd(view("A.vR", A.vR, np.int16, (count,)), offset, 16), 16)
    values = vlashr(values, fields["initial_shift"], 16)
    values = vlashr(vladd(vlmul(values, scale, 16), bias, 16), fields["final_shr"], 16)
    writable("Y", Y, np.int8, (count,))[:] = clip8(shift_round(values, 8), -128)
    return _behind(Y, count)


def _binary(p, Y, A, output_channel_group, thresholds):
    """Signs of 16-bit sums less their thresholds, 16 bits."""
    check_structure("A", A, VPURingBuffer)
    first = read_count("output_channel_group", output_channel_group) * LANES
    word  = vdepth1(vladd(view("A.vR", A.vR, np.int16, (LANES,)), view(
        "thresholds", thresholds, np.int16, (LANES,), first), 16), 16)
    writable("Y", Y, np.uint16, (1,))[0] = word
    return _behind(Y, 2)


def _coordinates(*values):
    return [read_count(name, value, low=_LEAST) for name, value in zip(
        ("output_v_coord", "output_h_coord", "output_c_coord"), values, strict=True)]


def _point(params, T, X, *coordinates):
    """Image memory from a pixel and a channel on."""
    fields = _fields(params, memcpyfn_deref_params_t)
    row, column, channel = _coordinates(*coordinates)
    start = row * fields["bytes_per_h_line"] + column * fields["bytes_per_pixel"] + channel
    if not 0 <= start <= X.nbytes:
        raise ValueError(f"X must have the bytes from {start} on, not {X.nbytes}")
    return view("X", X, np.int8, (X.nbytes - start,), start)


def _gather_padded(params, T, X, *coordinates):
    """Gather a window from a padded image, followed by a zero vector."""
    f = _fields(params, memcpyfn_imtocol_padded_params_t)
    out_row, out_column, channel = _coordinates(*coordinates)
    row, left = (out_row * f["vertical_stride"] - f["padding_top"],
                 out_column * f["horizontal_stride"] - f["padding_left"])
    size, image, parts = f["bytes_per_copy_per_channel"], _Memory("X", X), []
    place = left * f["bytes_per_pixel"] + channel + row * f["bytes_per_h_line"]
    for y in range(f["kernel_height"]):
        for x in range(f["kernel_width"]):
            inside = (0 <= row + y * f["vertical_dilation"] < f["input_v_length"]
                      and 0 <= left + x * f["horizontal_dilation"] < f["input_h_length"])
            parts.append(image.vector(place, size) if inside else
                         np.full(size, f["padding_val"] & 0xFF, np.uint8).view(np.int8))
            place += f["x_h_mem_stride"]
        place += f["x_v_mem_stride"]
    data = np.concatenate([*parts, np.zeros(_VECTOR, np.int8)])
    writable("T", T, np.int8, (data.size,))[:] = data
    return T


def _gather_valid(params, T, X, *coordinates):
    """Gather a window inside an image, followed by a zero vector unless disabled."""
    f = _fields(params, memcpyfn_imtocol_valid_params_t)
    row, column, channel = _coordinates(*coordinates)
    image, place = _Memory("X", X), (row * f["bytes_per_h_line"] + column * f["bytes_per_pixel"]
                                     + channel)
    vectors = f["input_channel_groups"]
    size    = vectors * _VECTOR + (f["T_vstrpv_mask"] & 0xFFFFFFFF).bit_count()
    step    = vectors * _VECTOR - f["T_rewind"]
    parts, start = [], 0
    for _ in range(f["input_height"] + 1):
        for _ in range(f["input_width"] + 1):
            parts.append((start, image.vector(place, size)))
            start += step
            place += (vectors + 1) * _VECTOR + f["horizontal_mem_stride"]
        place += f["vertical_mem_stride"]
    if not f["T_dontzero"]:
        parts.append((start, np.zeros(_VECTOR, np.int8)))
    target = writable("T", T, np.int8, (max(first + len(part) for first, part in parts),))
    for first, part in parts:
        target[first:first + len(part)] = part
    return T


_MULTIPLY = ("params", "A", "T", "output_channel_group", "weights")
_DIRECT   = ("params", "A", "X", "output_channel_group", "weights")
_GATHER   = ("params", "T", "X", "output_v_coord", "output_h_coord", "output_c_coord")
_INT8     = partial(vlmaccr, bits=8)

#: Arguments of the functions by name.
PROTOTYPES = {
    "mat_mul_generic_int8":    _MULTIPLY,
    "mat_mul_generic_binary":  _MULTIPLY,
    "mat_mul_direct_int8": _DIRECT, "mat_mul_direct_binary": _DIRECT,
    "mat_mul_dw_direct":       _MULTIPLY,
    "maxpool_direct":          ("params", "A", "T"),
    "otfn_int8_maxpool":       ("params", "Y", "A", "output_channel_group",
                                "multipliers_and_biases"),
    "otfn_int8_clamped":       ("params", "Y", "A", "output_channel_group",
                                "offsets_multipliers_and_biases"),
    "otfn_binary":             ("p", "Y", "A", "output_channel_group", "thresholds"),
    "memcpyfn_deref":          _GATHER,
    "memcpyfn_imtocol_padded": _GATHER,
    "memcpyfn_imtocol_valid":  _GATHER,
}

#: Actions of the functions; they get the arguments in order.
ACTIONS = {
    "mat_mul_generic_int8": partial(_add_generic, _INT8),
    "mat_mul_generic_binary": partial(_add_generic, vlmaccr1),
    "mat_mul_direct_int8": partial(add_direct, _INT8),
    "mat_mul_direct_binary": partial(add_direct, vlmaccr1),
    "mat_mul_dw_direct": partial(add_depthwise, np.int8), "maxpool_direct": _maximum,
    "otfn_int8_maxpool": _copy_maximum, "otfn_int8_clamped": _clamped, "otfn_binary": _binary,
    "memcpyfn_deref": _point, "memcpyfn_imtocol_padded": _gather_padded,
    "memcpyfn_imtocol_valid": _gather_valid,
}
