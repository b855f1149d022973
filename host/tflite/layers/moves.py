# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements, and the mean."""

from xymac.golden.tflm import (
    Concatenation,
    ExpandDims,
    Mean,
    Pack,
    Pad,
    PadV2,
    Reshape,
    ResizeBilinear,
    ResizeNearestNeighbor,
    Slice,
    Split,
    SplitV,
    Squeeze,
    StridedSlice,
    Transpose,
    Unpack,
)

from ..codes import ACTIVATION
from .call import pairs_of, quantisation_of

__all__ = ["MOVES", "SPLITS"]


def _pad(call):
    return Pad(pairs_of(call, 1, "paddings"), call.out)


def _pad_v2(call):
    tensor, value = call.inputs[2], call.numbers(2)
    if len(value) != 1:
        raise ValueError(f"Its padding value must be 1 element, not {len(value)}")
    if tensor.type != call.outputs[0].type:
        raise ValueError(f"Its padding value must be of {call.outputs[0].type.name}, "
                         f"not {tensor.type.name}")
    if tensor.type.name == "INT8" and quantisation_of(tensor) != call.out:
        raise ValueError("Its padding value must have the scale and zero point of the output, "
                         f"{call.out.scale!r} and {call.out.zero_point}, "
                         f"not {tensor.scales[0]!r} and {tensor.zero_points[0]}")
    return PadV2(pairs_of(call, 1, "paddings"), call.out, value[0])


def _reshape(call):
    # As in the library, the output shape counts, not the options or the second input.
    return Reshape(call.outputs[0].shape, call.out)


def _concatenation(call):
    call.refuse_option("fused_activation_function", ACTIVATION.NONE)
    return Concatenation(call.options.axis, call.out)


def _axis(call, place):
    axis = call.numbers(place)
    if len(axis) != 1:
        raise ValueError(f"Its axis must be 1 element, not {len(axis)}")
    return axis[0]


def _split(call, index):
    return Split(_axis(call, 0), len(call.outputs), index, quantisation_of(call.outputs[index]))


def _split_v(call, index):
    axis = _axis(call, 2)
    for output in call.outputs:
        if not -len(output.shape) <= axis < len(output.shape):
            raise ValueError(f"Its axis must be one of the {len(output.shape)} dimensions of each "
                             f"output, not {axis}")
    sizes = tuple(output.shape[axis] for output in call.outputs)
    return SplitV(axis, sizes, index, quantisation_of(call.outputs[index]))


def _pack(call):
    call.refuse_option("values_count", len(call.inputs))
    return Pack(call.options.axis, call.out)


def _unpack(call, index):
    call.refuse_option("num", len(call.outputs))
    axis, shape = call.options.axis, call.inputs[0].shape
    if -len(shape) <= axis < len(shape) and shape[axis] != len(call.outputs):
        raise ValueError(f"Its outputs must be {shape[axis]}, one per index of dimension {axis}, "
                         f"not {len(call.outputs)}")
    return Unpack(axis, index, quantisation_of(call.outputs[index]))


def _slice(call):
    begin, size = (call.inputs[place].type.name for place in (1, 2))
    if begin != size:
        raise ValueError(f"Its begin is {begin}, its size is {size}")
    return Slice(call.numbers(1), call.numbers(2), call.out)


def _slice_by_strides(call):
    for name, wanted in (("ellipsis_mask", 0), ("new_axis_mask", 0), ("offset", False)):
        call.refuse_option(name, wanted)
    def free(place, mask):
        return tuple(None if mask >> axis & 1 else number
                     for axis, number in enumerate(call.numbers(place)))
    rank   = len(call.inputs[0].shape)
    shrink = call.options.shrink_axis_mask
    begin  = free(1, call.options.begin_mask)
    return StridedSlice(begin, free(2, call.options.end_mask), call.numbers(3),
                        tuple(axis for axis in range(rank) if shrink >> axis & 1), call.out)


def _resize(kind):
    return lambda call: kind(call.numbers(1), call.options.align_corners,
                             call.options.half_pixel_centers, call.out)


#: Functions from a Call to a layer by the operator's name.
MOVES = {
    "PAD": _pad,
    "PADV2": _pad_v2,
    "RESHAPE": _reshape,
    "EXPAND_DIMS": lambda call: ExpandDims(_axis(call, 1), call.out),
    "SQUEEZE": lambda call: Squeeze(call.options.squeeze_dims, call.out),
    "PACK": _pack,
    "TRANSPOSE": lambda call: Transpose(call.numbers(1), call.out),
    "CONCATENATION": _concatenation,
    "SLICE": _slice,
    "STRIDED_SLICE": _slice_by_strides,
    "RESIZE_NEAREST_NEIGHBOR": _resize(ResizeNearestNeighbor),
    "RESIZE_BILINEAR": _resize(ResizeBilinear),
    "MEAN": lambda call: Mean(call.numbers(1), call.out, call.options.keep_dims),
}

#: Functions from a Call and an output number, for operators with several outputs.
SPLITS = {"SPLIT": _split, "SPLIT_V": _split_v, "UNPACK": _unpack}
