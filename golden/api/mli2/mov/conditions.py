# SPDX-License-Identifier: Apache-2.0
"""Conditions on the MLI 2.0 tensor move functions.

Source: embARC MLI 2.0.2, mli_check.cc and mli_mov_api.cc.
"""

import numpy as np

from xymac.golden.api.mli2.flaws import stride_flaw
from xymac.golden.api.mli2.memory import available, size_of, span
from xymac.golden.api.mli2.quantisation import PARAMETERS, points_apart
from xymac.golden.api.mli2.results import within
from xymac.golden.api.mli2.status import output, supported, valid
from xymac.golden.api.rules import (
    BAD_TENSOR,
    CFG,
    INCOMPATIBLE,
    MEMORY,
    SPEC,
    UNSUPPORTED,
    Condition,
    configured,
)
from xymac.golden.api.types import MLI_MAX_RANK, is_count
from xymac.golden.views import have_overlaps

from .configs import FILLERS, mli_mov_cfg_t, mli_mov_handle_t, mli_mov_state
from .handles import MAX_DMA_CHAN
from .region import Move

__all__ = ["CONDITIONS", "TYPES"]

TYPES   = ("FX_8", "FX_16", "SA_8", "SA_32", "FP_32")
_UINT32 = 2 ** 32 - 1
_LOW    = {"sub_sample_step": 1, "dst_mem_stride": -2 ** 31}
_HIGH   = {"padding_pre": 255, "padding_post": 255, "dst_mem_stride": 2 ** 31 - 1}


def _move(call):
    return Move(call.src, call.cfg, call.dst)


def _wrong_fields(call):
    """Names of configuration fields with invalid entries."""
    return [f"{name} {values}" for name, values in vars(call.cfg).items()
            if len(values) < call.src.rank
            or not all(is_count(value, _LOW.get(name, 0), _HIGH.get(name, _UINT32))
                       for value in values[:call.src.rank])]


def _parts(call):
    """(first element, element count, dimension size) for each axis in a move."""
    return [(axis.offset, axis.count, axis.size) for axis in _move(call).axes]


def _late_pads(call):
    """Dimensions with padding after elements that end before the source does."""
    sizes = call.cfg.size
    return [axis.dim for axis in _move(call).axes
            if axis.post and sizes[axis.dim] and axis.offset + axis.count < axis.size]


def _starts(call):
    """First indices in the destination, and its sizes as the caller gives them."""
    sizes = (*tuple(call.dst.shape)[:MLI_MAX_RANK], *(0,) * MLI_MAX_RANK)
    return [(axis.start, size) for axis, size in zip(_move(call).axes, sizes, strict=False)]


def _scales_flaw(call):
    """Memory flaw for scales along a dimension, a str, or None."""
    move = _move(call)
    if move.scales is None:
        return None
    axis, own = move.axes[move.scales], call.dst.el_params.sa
    for name, bits in PARAMETERS.items():
        if points_apart(call.src.el_params, call.dst, name) != move.copies_scales:
            return f"{name} elsewhere than the scales"
        if not move.copies_scales:
            continue
        held = getattr(own, name)
        room = min(held.capacity, held.mem.memory.size) * 8 // bits
        if room < axis.put.stop or not held.mem.memory.flags.writeable:
            return f"{name} with room for {room} values, not {axis.put.stop}"
    if move.copies_scales or axis.is_whole:
        return None
    return "no memory of its own for a part of the scales"


def _memories(call):
    return [tensor.data.mem.memory[:available(tensor)] for tensor in (call.src, call.dst)]


_MOVE = (
    *valid("src"), supported(TYPES, "src"), output("dst"), configured(mli_mov_cfg_t),
    Condition(CFG, "Fields of cfg must have entries for every dimension", _wrong_fields,
              lambda wrong: not wrong),
    Condition(CFG, "perm_dim must name every dimension of the source once",
              lambda call: list(call.cfg.perm_dim)[:call.src.rank],
              lambda order: sorted(order) == list(range(len(order)))),
    Condition(SPEC, "Scales of dst must have their own memory, or share the memory of src",
              _scales_flaw, lambda flaw: flaw is None),
    Condition(CFG, "offset and size must lie within each dimension", _parts,
              lambda parts: all(count >= 1 and offset + count <= size
                                for offset, count, size in parts)),
    Condition(CFG, "Zeros behind a part must lie behind the source", _late_pads,
              lambda wrong: not wrong),
    Condition(CFG, "dst_offset must not be more than the size of dst", _starts,
              lambda pairs: all(map(within, pairs))),
    Condition(INCOMPATIBLE, "Memory of src and dst must not overlap",
              lambda call: np.shares_memory(*_memories(call)), lambda shared: not shared),
    Condition(BAD_TENSOR, "mem_stride of dst must fit the result",
              lambda call: stride_flaw(_move(call).shape, _move(call).strides),
              lambda flaw: flaw is None),
    Condition(BAD_TENSOR, "Elements of dst must not overlap",
              lambda call: have_overlaps(_move(call).shape, _move(call).strides),
              lambda overlap: not overlap),
    Condition(MEMORY, "dst must have room for all bytes",
              lambda call: (size_of(span(_move(call).shape, _move(call).strides),
                                    call.src.el_type), available(call.dst)), within))

_HANDLE = Condition(CFG, "h must be an mli_mov_handle_t", lambda call: type(call.h).__name__,
                    lambda name: name == mli_mov_handle_t.__name__)


def _in_state(status, text, *states):
    return Condition(status, text, lambda call: mli_mov_state(call.h.state).name,
                     lambda name: name.removeprefix("MLI_MOV_STATE_") in states)


_OPEN = _in_state(CFG, "h must be acquired", "OPEN", "PREPARED", "DONE")
_FILL = (
    Condition(CFG, "cfg must be an mli_mov_cfg_t", lambda call: type(call.cfg).__name__,
              lambda name: name == mli_mov_cfg_t.__name__),
    Condition(CFG, f"Arrays must have {MLI_MAX_RANK} ints", lambda call: {
        name: value for name, value in vars(call).items()
        if name in ("offsets", "sizes", "dst_offsets", "sub_sample_step", "subsample_step",
                    "perm_dim", "dst_mem_stride")},
              lambda held: all(len(value) >= MLI_MAX_RANK and all(
                  is_count(entry, -2 ** 31, _UINT32) for entry in value)
                               for value in held.values())),
    Condition(CFG, "Padding must be 0 .. 255", lambda call: {
        name: value for name, value in vars(call).items() if name.startswith("pad")},
              lambda held: all(map(is_count, held.values()))))

#: Conditions of the move functions by primitive.
CONDITIONS = {
    "tensor_sync": _MOVE,
    "prepare":     (_HANDLE, _OPEN, *_MOVE),
    "start":       (_HANDLE, _in_state(CFG, "h must be prepared", "PREPARED")),
    "wait":        (_HANDLE, _in_state(UNSUPPORTED, "The move of h must be started", "DONE")),
    "registercallback": (_HANDLE, Condition(
        CFG, "cb must be a function, or None", lambda call: call.cb,
        lambda cb: cb is None or callable(cb))),
    "set_num_dma_ch": (Condition(
        CFG, f"Channels must be of the {MAX_DMA_CHAN} that there are",
        lambda call: (call.ch_offset, call.num_ch),
        lambda pair: is_count(pair[0], 0, MAX_DMA_CHAN)
        and is_count(pair[1], 0, MAX_DMA_CHAN - pair[0])),),
    "acquire_handle": (
        _HANDLE,
        Condition(MEMORY, "num_ch channels side by side must be free",
                  lambda call: (call.num_ch, call.dma_channels.find(call.num_ch)),
                  lambda pair: is_count(pair[0], 0, MAX_DMA_CHAN) and pair[1] is not None)),
    "release_handle": (_HANDLE,),
    **dict.fromkeys(FILLERS, _FILL),
}
