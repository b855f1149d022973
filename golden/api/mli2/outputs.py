# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 outputs: requested part of the result, memory layout, and updated fields.

Source: embARC MLI 2.0.2, "Result" in each function's description, and its kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.formats import Affine

from .memory import strides_of
from .quantisation import hand_over, params_of

if TYPE_CHECKING:
    from xymac.golden.formats import Format

    from .calls import Call

__all__ = ["WINDOWED", "fill_fields", "is_cut", "written_shape", "written_strides"]

_CONVOLUTIONS = ("conv2d", "depthwise_conv2d", "group_conv2d", "transpose_conv2d")
_CELLS        = ("lstm_cell", "gru_cell")
#: Functions that compute only the rows and columns in ``out.shape``.
WINDOWED = (*_CONVOLUTIONS, "maxpool", "avepool")
#: Fields of ``out`` that functions write; all other fields stay unchanged.
_FILLED = {
    **dict.fromkeys(_CONVOLUTIONS[:3], ("el_type",)),
    **dict.fromkeys(_CELLS, ("shape",)),
    **dict.fromkeys(("convert_tensor", "convert_tensor_safx"), ("shape",)),
    **dict.fromkeys(("maxpool", "relu", "sigm", "tanh", "softmax", "l2_normalize", "permute"),
                    ("el_params",)),
    "argmax": ("shape", "el_params"),
}


def written_shape(call: Call) -> tuple[int, ...]:
    """Written shape: the result shape, or the leading part that ``out.shape`` requests."""
    whole, kind = call.result_shape, call.name.primitive
    if kind in _CONVOLUTIONS or kind == "permute":
        return tuple(call.out.shape[:len(whole)])
    if kind in WINDOWED:
        return (*call.out.shape[:2], *whole[2:])
    return whole


def written_strides(call: Call) -> tuple[int, ...]:
    """Strides of the elements that a call writes, in memory elements.

    Cells and dense functions write contiguous elements unless ``out`` has the result rank;
    the first stride separates frames. Indices from argmax are contiguous.
    """
    shape, out = written_shape(call), call.out
    dense = (0,) * len(shape)
    if call.name.primitive == "argmax":
        return strides_of(shape, dense)
    if call.name.primitive in (*_CELLS, "rnn_dense") and out.rank != len(shape):
        frames = len(shape) > 1 and shape[0] > 1
        return strides_of(shape, (out.mem_stride[0], *dense[1:]) if frames else dense)
    return strides_of(shape, out.mem_stride)


def is_cut(call: Call) -> bool:
    """Whether a call writes only a part of its result."""
    return tuple(written_shape(call)) != tuple(call.result_shape)


def fill_fields(call: Call, kind: Format) -> None:
    """Update the ``out`` fields that the function updates; ``kind`` is the result format."""
    out, fields = call.out, _FILLED.get(call.name.primitive, ())
    if "shape" in fields:
        out.shape, out.rank = tuple(call.result_shape), len(call.result_shape)
    if "el_type" in fields:
        out.el_type = call.out_type
    if "el_params" in fields:
        if isinstance(kind, Affine) and kind.dim >= 0:
            hand_over(call.in_.el_params, out, kind.dim, len(kind.scales))
        else:
            out.el_params = params_of(kind)
