# SPDX-License-Identifier: Apache-2.0
"""Actions for the MLI 2.0 move functions, by primitive.

Source: embARC MLI 2.0.2, mli_mov_api.cc.
"""

from operator import index

from xymac.golden.api.grammar import Primitive

from .configs import FILLERS, mli_mov_state
from .region import Move

__all__ = ["ACTIONS", "NUMBERS", "PRIMITIVES"]

_TENSORS = ("src", "cfg", "dst")
_PADS    = ("padleft", "padright", "padtop", "padbot")

#: Arguments by function.
PRIMITIVES = {name: Primitive(arguments, ()) for name, arguments in {
    "tensor_sync":      _TENSORS,
    "prepare":          ("h", *_TENSORS),
    "registercallback": ("h", "cb", "cookie"),
    "start":            ("h", *_TENSORS),
    "isdone":           ("h",),
    "wait":             ("h",),
    "set_num_dma_ch":   ("ch_offset", "num_ch"),
    "acquire_handle":   ("num_ch", "h"),
    "release_handle":   ("h",),
    "cfg_for_copy":          ("cfg",),
    "cfg_for_slice":         ("cfg", "offsets", "sizes", "dst_mem_stride"),
    "cfg_for_concat":        ("cfg", "dst_offsets", "dst_mem_stride"),
    "cfg_for_subsample":     ("cfg", "sub_sample_step", "dst_mem_stride"),
    "cfg_for_permute":       ("cfg", "perm_dim"),
    "cfg_for_padding2d_chw": ("cfg", *_PADS, "dst_mem_stride"),
    "cfg_for_padding2d_hwc": ("cfg", *_PADS, "dst_mem_stride"),
    "cfg_all": ("cfg", "offsets", "sizes", "subsample_step", "dst_offsets", "dst_mem_stride",
                "perm_dim", *_PADS),
}.items()}


def _move(call, library):
    Move(call.src, call.cfg, call.dst).run(library.evaluate, library.fills_views)


def _tensor_sync(call, library):
    handle = library.channels.open()
    _move(call, library)
    library.channels.finish(handle)
    library.channels.release(handle)


def _prepare(call, library):
    _move(call, library)
    call.h.state = mli_mov_state.MLI_MOV_STATE_PREPARED


def _wait(call, library):
    if call.h.state != mli_mov_state.MLI_MOV_STATE_DONE:
        raise ValueError("The move of h must be started")


def _filler(fill):
    return lambda call, library: fill(call)


#: Actions, functions of a call and its library.
ACTIONS = {
    "tensor_sync": _tensor_sync,
    "prepare":     _prepare,
    "wait":        _wait,
    "start":       lambda call, library: library.channels.finish(call.h),
    "registercallback": lambda call, library: library.channels.register(
        call.h, call.cb, call.cookie),
    "set_num_dma_ch":   lambda call, library: library.channels.set_num(
        index(call.ch_offset), index(call.num_ch)),
    "acquire_handle":   lambda call, library: library.channels.acquire(
        index(call.num_ch), call.h),
    "release_handle":   lambda call, library: library.channels.release(call.h),
    **{name: _filler(fill) for name, fill in FILLERS.items()},
}
#: Functions without a status.
NUMBERS = {"isdone": lambda h: h.state == mli_mov_state.MLI_MOV_STATE_DONE}
