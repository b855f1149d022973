# SPDX-License-Identifier: Apache-2.0
"""Options for operators that move elements: see ``options``."""

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
    """RESHAPE options; a second input replaces ``new_shape``."""

    new_shape: Numbers("i4") = ()


@dataclass(frozen=True)
class ConcatenationOptions:
    """CONCATENATION options."""

    axis:                      INT = 0
    fused_activation_function: _ACTIVATION = ACTIVATION.NONE


@dataclass(frozen=True)
class SplitOptions:
    """SPLIT options."""

    num_splits: INT = 0


@dataclass(frozen=True)
class SplitVOptions:
    """SPLIT_V options."""

    num_splits: INT = 0


@dataclass(frozen=True)
class PackOptions:
    """PACK options."""

    values_count: INT = 0
    axis:         INT = 0


@dataclass(frozen=True)
class UnpackOptions:
    """UNPACK options."""

    num:  INT = 0
    axis: INT = 0


@dataclass(frozen=True)
class GatherOptions:
    """GATHER options."""

    axis:       INT = 0
    batch_dims: INT = 0


@dataclass(frozen=True)
class DepthToSpaceOptions:
    """DEPTH_TO_SPACE options: block rows and columns."""

    block_size: INT = 0


@dataclass(frozen=True)
class SpaceToDepthOptions:
    """SPACE_TO_DEPTH options: block rows and columns."""

    block_size: INT = 0


@dataclass(frozen=True)
class MirrorPadOptions:
    """MIRROR_PAD options."""

    mode: Choice(MIRROR_MODE) = MIRROR_MODE.REFLECT


@dataclass(frozen=True)
class SqueezeOptions:
    """SQUEEZE options: dimensions to remove; empty for all dimensions with size 1."""

    squeeze_dims: Numbers("i4") = ()


@dataclass(frozen=True)
class StridedSliceOptions:
    """STRIDED_SLICE options: a mask bit per dimension."""

    begin_mask:       INT = 0
    end_mask:         INT = 0
    ellipsis_mask:    INT = 0
    new_axis_mask:    INT = 0
    shrink_axis_mask: INT = 0
    offset:           FLAG = False


@dataclass(frozen=True)
class ResizeNearestNeighborOptions:
    """RESIZE_NEAREST_NEIGHBOR options."""

    align_corners:      FLAG = False
    half_pixel_centers: FLAG = False


@dataclass(frozen=True)
class ResizeBilinearOptions:
    """RESIZE_BILINEAR options; the size is an input."""

    deprecated_height:  INT = 0
    deprecated_width:   INT = 0
    align_corners:      FLAG = False
    half_pixel_centers: FLAG = False
