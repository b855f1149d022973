# SPDX-License-Identifier: Apache-2.0
"""Conditions on an MLI 2.0 call's output: shape, strides and memory.

Source: embARC MLI 2.0.2, mli_check.cc, the checks in each function.
"""

from __future__ import annotations

from xymac.golden.api.rules import (
    BAD_TENSOR,
    CFG,
    INCOMPATIBLE,
    MEMORY,
    SHAPE,
    TYPE,
    Condition,
    rank,
)
from xymac.golden.api.types import MLI_MAX_RANK, is_count
from xymac.golden.mli2.tensor import Affine, Element
from xymac.golden.views import have_overlaps

from .flaws import stride_flaw
from .memory import available, dims, size_of, span, strides_of
from .quantisation import room_flaw
from .types import format_of

__all__ = ["ASKED", "ENOUGH", "FILTERS", "INNER", "PERMUTED", "PLACES", "SAME_TYPE", "within"]

_UINT32 = 2 ** 32 - 1
#: Functions that need memory for the whole result, although they write a part.
_WHOLE  = ("maxpool", "transpose_conv2d")


def within(pair: tuple[int, ...]) -> bool:
    """Whether the first value, the need, is at most the second, the limit."""
    return pair[0] <= pair[1]


def _reserved(call):
    """Shape and strides of the elements for which ``out`` must have memory."""
    if call.name.primitive in _WHOLE:
        return call.result_shape, strides_of(call.result_shape, call.out.mem_stride)
    return call.output_shape, call.output_strides


def _room(call):
    shape, strides = _reserved(call)
    return size_of(span(shape, strides), call.out_type), available(call.out)


def _overlap(call):
    """Whether two output elements share memory."""
    return have_overlaps(call.output_shape, call.output_strides)


#: Conditions: the written elements fit the strides and the capacity of ``out``.
ENOUGH = (
    Condition(BAD_TENSOR, "mem_stride of out must fit the result",
              lambda call: stride_flaw(*_reserved(call)), lambda flaw: flaw is None),
    Condition(BAD_TENSOR, "Elements of out must not overlap",
              lambda call: (_overlap(call), call.output_shape, call.out.mem_stride),
              lambda overlap: not overlap[0]),
    Condition(MEMORY, "out must have room for all bytes", _room, within))


def _sizes(shape, count):
    """Invalid sizes among a shape's first ``count``, a list."""
    if len(shape) < count:
        return [f"{len(shape)} sizes"]
    return [size for size in tuple(shape)[:count] if not is_count(size, 1, _UINT32)]


def _part(axes, status):
    """Conditions: ``out.shape`` is a part of the result in its first ``axes`` dimensions.

    If ``axes`` is None, all input dimensions are checked.
    """
    def count(call):
        return call.in_.rank if axes is None else axes
    return (
        Condition(BAD_TENSOR, f"Sizes of out must be 1 .. {_UINT32}",
                  lambda call: _sizes(call.out.shape, count(call)), lambda wrong: not wrong),
        Condition(status, "out must not have more rows, columns or indices than the result",
                  lambda call: (tuple(call.out.shape)[:count(call)],
                                call.result_shape[:count(call)]),
                  lambda shapes: all(map(within, zip(*shapes, strict=True)))))


#: Conditions: the rows and columns of ``out`` exist in the result.
ASKED = _part(2, CFG)
#: Conditions: ``out`` has as many channels as there are filters.
FILTERS = (
    rank("out", 3),
    Condition(SHAPE, "out must have one channel a filter",
              lambda call: (call.out.shape[2], call.weights.shape[3]),
              lambda pair: pair[0] == pair[1]))


def _params_room(call):
    """Flaw in the ``out`` memory for copied input parameters, a str, or None."""
    kind = format_of(call.in_)
    if not isinstance(kind, Affine) or kind.dim < 0:
        return None
    return room_flaw(call.in_.el_params, call.out, call.in_.shape[kind.dim])


#: Conditions: ``out`` requests a part of the permuted tensor.
PERMUTED = (
    *_part(None, SHAPE),
    Condition(BAD_TENSOR, "Parameters of out must have room for the parameters of in", _params_room,
              lambda flaw: flaw is None))


def _inner(call):
    """``out`` rank, result rank, and the stride that must be 1 if the ranks differ."""
    held, wanted = call.out.rank, len(call.result_shape)
    if held in (0, wanted):
        return held, wanted, 0
    axis = 0 if call.name.primitive == "fully_connected" else held - 1
    return held, wanted, call.out.mem_stride[axis]


#: Condition: ``out`` is contiguous if its rank differs from the result's.
INNER = Condition(
    INCOMPATIBLE, "The last mem_stride of out must be 1 unless it has the rank of the result",
    _inner, lambda held: is_count(held[0], 0, MLI_MAX_RANK) and held[2] in (0, 1))

#: Condition: ``out`` has the element type of the result.
SAME_TYPE = Condition(
    INCOMPATIBLE, "out must have the element type of in1",
    lambda call: (call.out.el_type, call.in1.el_type), lambda pair: pair[0] == pair[1])


def _places(call):
    """Largest memory index that an input element has, and largest value in the ``out`` type."""
    shape = dims(call.in_)
    bits  = Element(call.out_type).bits
    return span(shape, strides_of(shape, call.in_.mem_stride)) - 1, 2 ** (bits - 1) - 1


#: Conditions of indices: the type of ``out`` holds them, and its size matches.
PLACES = (
    Condition(TYPE, "out must be of type FX_8, FX_16, SA_8 or SA_32",
              lambda call: Element(call.out.el_type).name,
              lambda name: name in ("FX_8", "FX_16", "SA_8", "SA_32")),
    Condition(INCOMPATIBLE, "Places must fit the elements of out", _places, within),
    Condition(MEMORY, "Capacity of out must be 4 bytes a place",
              lambda call: (4 * call.result_shape[0] * call.result_shape[1],
                            call.out.data.capacity), lambda pair: pair[0] == pair[1]))
