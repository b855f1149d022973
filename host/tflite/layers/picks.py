# SPDX-License-Identifier: Apache-2.0
"""Operators that select or replace elements."""

from math import prod

from xymac.golden.tflm import (
    BatchToSpaceNd,
    BroadcastArgs,
    BroadcastTo,
    Cast,
    DepthToSpace,
    DynamicUpdateSlice,
    EmbeddingLookup,
    Fill,
    Gather,
    GatherAt,
    GatherNd,
    Indexing,
    MirrorPad,
    ReverseV2,
    SelectV2,
    SpaceToBatchNd,
    SpaceToDepth,
    Tensor,
    Tile,
    ZerosLike,
)

from ..codes import MIRROR_MODE
from .call import pairs_of

__all__ = ["PICKS"]


def _indices(call, place):
    return Tensor(call.inputs[place].data)


# Files that call the batch open give both operators one image: as in the library, as many are
# computed as there is room for.

def _space_to_batch_nd(call):
    block  = call.numbers(1)
    images = (*call.outputs[0].shape, 0)[0]
    fewer  = images < (*call.inputs[0].shape, 0)[0] * prod(block)
    return SpaceToBatchNd(block, pairs_of(call, 2, "paddings"), call.out,
                          images if fewer else None)


def _batch_to_space_nd(call):
    block  = call.numbers(1)
    images = (*call.outputs[0].shape, 0)[0]
    fewer  = (*call.inputs[0].shape, 0)[0] < images * prod(block)
    return BatchToSpaceNd(block, pairs_of(call, 2, "crops"), call.out, images if fewer else None)


def _mirror_pad(call):
    symmetric = call.options.mode == MIRROR_MODE.SYMMETRIC
    return MirrorPad(pairs_of(call, 1, "paddings"), symmetric, call.out)


def _reverse_v2(call):
    shape = call.inputs[1].shape
    if len(shape) != 1:
        raise ValueError(f"Its axes must have 1 dimension, not {len(shape)}")
    return ReverseV2(call.numbers(1), call.out)


def _dynamic_update_slice(call):
    shape = call.inputs[2].shape
    if len(shape) != 1:
        raise ValueError(f"Its start must have 1 dimension, not {len(shape)}")
    return DynamicUpdateSlice(call.numbers(2), call.out)


def _gather(call):
    if call.inputs[1].data is None:
        return GatherAt(Indexing.GATHER, call.options.axis, call.options.batch_dims, call.out)
    return Gather(_indices(call, 1), call.options.axis, call.options.batch_dims, call.out)


def _gather_nd(call):
    if call.inputs[1].data is None:
        return GatherAt(Indexing.GATHER_ND, out=call.out)
    return GatherNd(_indices(call, 1), call.out)


def _embedding_lookup(call):
    if call.inputs[0].data is None:
        return GatherAt(Indexing.EMBEDDING_LOOKUP, out=call.out)
    return EmbeddingLookup(_indices(call, 0), call.out)


def _select(call):
    condition, first, second = (each.shape for each in call.inputs)
    if first != second:
        raise ValueError(f"Its second input must have the shape of the first, {first}, not "
                         f"{second}")
    if condition not in ((), first):
        raise ValueError(f"Its condition must have 0 dimensions or the shape of the inputs, "
                         f"{first}, not {condition}")
    return SelectV2(call.out)


def _tile(call):
    shape = call.inputs[1].shape
    if len(shape) != 1:
        raise ValueError(f"Its times must have 1 dimension, not {len(shape)}")
    return Tile(call.numbers(1), call.out)


#: Functions from a Call to a layer by the operator's name.
PICKS = {
    "GATHER": _gather,
    "GATHER_ND": _gather_nd,
    "EMBEDDING_LOOKUP": _embedding_lookup,
    "BATCH_TO_SPACE_ND": _batch_to_space_nd,
    "SPACE_TO_BATCH_ND": _space_to_batch_nd,
    "DEPTH_TO_SPACE": lambda call: DepthToSpace(call.options.block_size, call.out),
    "SPACE_TO_DEPTH": lambda call: SpaceToDepth(call.options.block_size, call.out),
    "MIRROR_PAD": _mirror_pad,
    "BROADCAST_TO": lambda call: BroadcastTo(call.numbers(1), call.out),
    "BROADCAST_ARGS": lambda call: BroadcastArgs(),
    "FILL": lambda call: Fill(call.numbers(0), call.out),
    "REVERSE_V2": _reverse_v2,
    "ZEROS_LIKE": lambda call: ZerosLike(call.out),
    "CAST": lambda call: Cast(call.dtype, call.out),
    "DYNAMIC_UPDATE_SLICE": _dynamic_update_slice,
    "SELECT_V2": lambda call: SelectV2(call.out),
    "SELECT": _select,
    "TILE": _tile,
}
