"""Operators that pick elements, and that take them for others."""

from golden.tflm import (
    BatchToSpaceNd,
    BroadcastArgs,
    BroadcastTo,
    Cast,
    DepthToSpace,
    DynamicUpdateSlice,
    EmbeddingLookup,
    Fill,
    Gather,
    GatherNd,
    MirrorPad,
    ReverseV2,
    SelectV2,
    SpaceToBatchNd,
    SpaceToDepth,
    Tensor,
    ZerosLike,
)

from ..codes import MIRROR_MODE
from .call import pairs_of

__all__ = ["PICKS"]


def _indices(call, place):
    return Tensor(call.inputs[place].data)


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


#: Functions from a Call to a layer by the operator's name.
PICKS = {
    "GATHER": lambda call: Gather(_indices(call, 1), call.options.axis, call.options.batch_dims,
                                  call.out),
    "GATHER_ND": lambda call: GatherNd(_indices(call, 1), call.out),
    "EMBEDDING_LOOKUP": lambda call: EmbeddingLookup(_indices(call, 0), call.out),
    "BATCH_TO_SPACE_ND": lambda call: BatchToSpaceNd(call.numbers(1), pairs_of(call, 2, "crops"),
                                                     call.out),
    "SPACE_TO_BATCH_ND": lambda call: SpaceToBatchNd(
        call.numbers(1), pairs_of(call, 2, "paddings"), call.out),
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
}
