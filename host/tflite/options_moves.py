# SPDX-License-Identifier: Apache-2.0
"""Options of operators that move elements: see ``options``."""

from dataclasses import dataclass

from .codes import ACTIVATION, MIRROR_MODE
from .fields import FLAG, INT, Choice, Numbers

__all__ = ["ConcatenationOptions", "DepthToSpaceOptions", "GatherOptions",
           "MirrorPadOptions", "PackOptions", "ReshapeOptions", "ResizeBilinearOptions",
           "ResizeNearestNeighborOptions", "SpaceToDepthOptions", "SplitOptions",
           "SplitVOptions", "SqueezeOptions", "StridedSliceOptions", "UnpackOptions"]

_ACTIVATION = Choice(ACTIVATION)


@dataclass(frozen=True)
class ReshapeOptions:
    """Options of RESHAPE; a second input replaces ``new_shape``."""

    new_shape: Numbers("i4") = ()


@dataclass(frozen=True)
class ConcatenationOptions:
    """Options of CONCATENATION."""

    axis:                      INT = 0
    fused_activation_function: _ACTIVATION = ACTIVATION.NONE


@dataclass(frozen=True)
class SplitOptions:
    """Options of SPLIT."""

    num_splits: INT = 0


@dataclass(frozen=True)
class SplitVOptions:
    """Options of SPLIT_V."""

    num_splits: INT = 0


@dataclass(frozen=True)
class PackOptions:
    """Options of PACK."""

    values_count: INT = 0
    axis:         INT = 0


@dataclass(frozen=True)
class UnpackOptions:
    """Options of UNPACK."""

    num:  INT = 0
    axis: INT = 0


@dataclass(frozen=True)
class GatherOptions:
    """Options of GATHER."""

    axis:       INT = 0
    batch_dims: INT = 0


@dataclass(frozen=True)
class DepthToSpaceOptions:
    """Options of DEPTH_TO_SPACE: rows and columns of a block."""

    block_size: INT = 0


@dataclass(frozen=True)
class SpaceToDepthOptions:
    """Options of SPACE_TO_DEPTH: rows and columns of a block."""

    block_size: INT = 0


@dataclass(frozen=True)
class MirrorPadOptions:
    """Options of MIRROR_PAD."""

    mode: Choice(MIRROR_MODE) = MIRROR_MODE.REFLECT


@dataclass(frozen=True)
class SqueezeOptions:
    """Options of SQUEEZE: dimensions to remove; empty for all of size 1."""

    squeeze_dims: Numbers("i4") = ()


@dataclass(frozen=True)
class StridedSliceOptions:
    """Options of STRIDED_SLICE: one mask bit per dimension."""

    begin_mask:       INT = 0
    end_mask:         INT = 0
    ellipsis_mask:    INT = 0
    new_axis_mask:    INT = 0
    shrink_axis_mask: INT = 0
    offset:           FLAG = False


@dataclass(frozen=True)
class ResizeNearestNeighborOptions:
    """Options of RESIZE_NEAREST_NEIGHBOR."""

    align_corners:      FLAG = False
    half_pixel_centers: FLAG = False


@dataclass(frozen=True)
class ResizeBilinearOptions:
    """Options of RESIZE_BILINEAR; the size is an input."""

    deprecated_height:  INT = 0
    deprecated_width:   INT = 0
    align_corners:      FLAG = False
    half_pixel_centers: FLAG = False
