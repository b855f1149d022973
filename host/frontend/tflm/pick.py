# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators that select elements, and CAST between integers."""

from xymac.golden.tflm import (
    BatchToSpaceNd,
    BroadcastTo,
    Cast,
    DepthToSpace,
    DynamicUpdateSlice,
    EmbeddingLookup,
    Fill,
    Gather,
    GatherNd,
    MirrorPad,
    PickAmong,
    ReverseV2,
    SpaceToBatchNd,
    SpaceToDepth,
    Tile,
    ZerosLike,
)
from xymac.host.ir import pick

__all__ = ["AMONG", "PICKS", "UPDATES", "WIDTHS"]

_INTEGERS = ("INT8", "INT16")


def widths_of(layer, x):
    """The ``Widths`` for a CAST between 8-bit and 16-bit integers, or from BOOL; else None."""
    kinds = x.type_name, layer.output_dtype(x).name.upper()
    return pick.Widths() if kinds[0] in ("BOOL", *_INTEGERS) and kinds[1] in _INTEGERS else None


PICKS   = dict.fromkeys((BatchToSpaceNd, BroadcastTo, DepthToSpace, EmbeddingLookup, Fill, Gather,
                         GatherNd, MirrorPad, ReverseV2, SpaceToBatchNd, SpaceToDepth, Tile,
                         ZerosLike),
                        lambda layer, x: pick.Pick(layer.places(x.shape)))
AMONG   = {PickAmong: lambda layer, *x: pick.PickAmong(tuple(map(layer.places, range(len(x)))))}
UPDATES = {DynamicUpdateSlice: lambda layer, x, update: pick.Update(
    tuple(layer.first(x.shape, update.shape)))}
WIDTHS  = {Cast: widths_of}
