# SPDX-License-Identifier: Apache-2.0
"""Structures for the move functions, and functions to fill them.

Source: embARC MLI 2.0.2, mli_mov_api.h and mli_mov_api.cc.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from operator import index

from xymac.golden.api.types import MLI_MAX_RANK

__all__ = ["FILLERS", "mli_mov_cfg_t", "mli_mov_handle_t", "mli_mov_state"]

_NONE = (0,) * MLI_MAX_RANK
_ONES = (1,) * MLI_MAX_RANK
_SAME = tuple(range(MLI_MAX_RANK))


@dataclass
class mli_mov_cfg_t:
    """A move's source part and destination; by default it copies the whole tensor.

    Every field has ``MLI_MAX_RANK`` entries. ``dst_offset``, ``dst_mem_stride`` and ``perm_dim``
    have one entry per destination dimension, other fields one per source dimension.

    Parameters
    ----------
    offset : first element in each dimension
    size : elements in each dimension, 0 for all from the offset on
    sub_sample_step : distance between moved elements, elements
    dst_offset : first index in the destination
    dst_mem_stride : destination strides; 0 keeps the tensor's stride
    perm_dim : source dimension for each destination dimension
    padding_pre, padding_post : zeros before and behind the elements
    """

    offset:          tuple[int, ...] = _NONE
    size:            tuple[int, ...] = _NONE
    sub_sample_step: tuple[int, ...] = _ONES
    dst_offset:      tuple[int, ...] = _NONE
    dst_mem_stride:  tuple[int, ...] = _NONE
    perm_dim:        tuple[int, ...] = _SAME
    padding_pre:     tuple[int, ...] = _NONE
    padding_post:    tuple[int, ...] = _NONE


class mli_mov_state(IntEnum):
    """Move handle state."""

    MLI_MOV_STATE_INVALID        = 0
    MLI_MOV_STATE_OPEN           = 1
    MLI_MOV_STATE_PREPARED       = 2
    MLI_MOV_STATE_DMA_CONFIGURED = 3
    MLI_MOV_STATE_DMA_RUNNING    = 4
    MLI_MOV_STATE_DONE           = 5


@dataclass
class mli_mov_handle_t:
    """DMA channels and state for a move."""

    dma_ch: int = 0
    num_ch: int = 0
    state:  mli_mov_state = mli_mov_state.MLI_MOV_STATE_INVALID


def _fill(cfg, **fields):
    """Set the given configuration fields, and all others to a whole-tensor move."""
    for name, value in vars(mli_mov_cfg_t(**fields)).items():
        setattr(cfg, name, value)


def _entries(values):
    """The ``MLI_MAX_RANK`` entries in a library array, a tuple of int."""
    values = tuple(map(index, values))
    if len(values) < MLI_MAX_RANK:
        raise ValueError(f"Arrays of a move must have {MLI_MAX_RANK} entries, not {len(values)}")
    return values[:MLI_MAX_RANK]


def _pads(call, rows):
    """Zeros around an image whose rows are dimension ``rows``."""
    pre: list[int]  = list(_NONE)
    post: list[int] = list(_NONE)
    pre[rows:rows + 2]  = [index(call.padtop), index(call.padleft)]
    post[rows:rows + 2] = [index(call.padbot), index(call.padright)]
    return {"padding_pre": tuple(pre), "padding_post": tuple(post)}


def _slice(call):
    return {"offset": _entries(call.offsets), "size": _entries(call.sizes)}


def _all(call):
    return _slice(call) | _pads(call, 0) | {
        "sub_sample_step": _entries(call.subsample_step), "dst_offset": _entries(call.dst_offsets),
        "perm_dim": _entries(call.perm_dim)}


_FIELDS = {
    "cfg_for_copy":          lambda call: {},
    "cfg_for_slice":         _slice,
    "cfg_for_concat":        lambda call: {"dst_offset": _entries(call.dst_offsets)},
    "cfg_for_subsample":     lambda call: {"sub_sample_step": _entries(call.sub_sample_step)},
    "cfg_for_permute":       lambda call: {"perm_dim": _entries(call.perm_dim)},
    "cfg_for_padding2d_chw": lambda call: _pads(call, 1),
    "cfg_for_padding2d_hwc": lambda call: _pads(call, 0),
    "cfg_all":               _all,
}


def _filler(fields):
    def fill(call):
        filled = fields(call)
        if hasattr(call, "dst_mem_stride"):
            filled["dst_mem_stride"] = _entries(call.dst_mem_stride)
        _fill(call.cfg, **filled)
    return fill


#: Functions that fill a configuration, by primitive.
FILLERS = {name: _filler(fields) for name, fields in _FIELDS.items()}
