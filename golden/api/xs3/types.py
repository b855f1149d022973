# SPDX-License-Identifier: Apache-2.0
"""lib_nn parameter structures under their documented names.

Source: lib_nn 96bd67c, api/nn_image.h, nn_conv2d_structs.h, nn_window_params.h,
nn_conv2d_int8_structs.h, nn_layers.h, nn_pooling.h; in 0.4.0, api/OutputTransformFn.hpp and
nn_layers.h. An unnamed inner structure has a name here that begins with the outer name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntFlag
from typing import ClassVar

import numpy as np

__all__ = [
    "FLAGS",
    "VPURingBuffer",
    "nn_add_input_t",
    "nn_add_output_t",
    "nn_add_params_t",
    "nn_add_vectors_t",
    "nn_avgpool2d_flags_e",
    "nn_avgpool2d_global_flags_e",
    "nn_conv2d_1x1_flags_e",
    "nn_conv2d_1x1_job_params_t",
    "nn_conv2d_1x1_size_t",
    "nn_conv2d_deep_flags_e",
    "nn_conv2d_depthwise_flags_e",
    "nn_conv2d_job_params_t",
    "nn_conv2d_shallowin_flags_e",
    "nn_image_params_t",
    "nn_image_vect_t",
    "nn_maxpool2d_flags_e",
    "nn_mul_params_t",
    "nn_pad_plan_t",
    "nn_window_op_job_params_t",
    "nn_window_params_t",
    "nn_window_shape_t",
    "nn_window_start_t",
    "nn_window_step_t",
    "otfn_int8_channelwise_params_t",
    "otfn_int8_params_t",
    "padding_sizes_t",
]


@dataclass
class nn_image_params_t:
    """Image sizes."""

    height:   int = 1
    width:    int = 1
    channels: int = 1


@dataclass
class nn_window_shape_t:
    """Window rows and columns."""

    height: int = 1
    width:  int = 1


@dataclass
class nn_window_start_t:
    """Where the first window begins on the input; negative values lie outside."""

    row:    int = 0
    column: int = 0


@dataclass
class nn_window_step_t:
    """Rows and columns from window to window, or from tap to tap."""

    vertical:   int = 1
    horizontal: int = 1


@dataclass
class nn_window_params_t:
    """Windows on an image; ``dilation`` is not looked at, as in the library."""

    shape:    nn_window_shape_t = field(default_factory=nn_window_shape_t)
    start:    nn_window_start_t = field(default_factory=nn_window_start_t)
    stride:   nn_window_step_t = field(default_factory=nn_window_step_t)
    dilation: nn_window_step_t = field(default_factory=nn_window_step_t)


@dataclass
class nn_image_vect_t:
    """A position in an image, or a part's size."""

    rows:     int = 0
    cols:     int = 0
    channels: int = 0


@dataclass
class nn_window_op_job_params_t:
    """Output part that a call computes."""

    start: nn_image_vect_t = field(default_factory=nn_image_vect_t)
    size:  nn_image_vect_t = field(default_factory=nn_image_vect_t)


#: Alternative name of the same structure.
nn_conv2d_job_params_t = nn_window_op_job_params_t


@dataclass
class nn_conv2d_1x1_size_t:
    """Pixels, row by row, and channels that a call computes."""

    pixels:   int = 0
    channels: int = 0


@dataclass
class nn_conv2d_1x1_job_params_t:
    """Output part that a ``conv2d_1x1`` call computes."""

    start: nn_image_vect_t = field(default_factory=nn_image_vect_t)
    size:  nn_conv2d_1x1_size_t = field(default_factory=nn_conv2d_1x1_size_t)


@dataclass
class nn_add_input_t:
    """``add_elementwise`` input: right shift, negative for left, and factor."""

    shr:        int = 0
    multiplier: int = 0


@dataclass
class nn_add_output_t:
    """``add_elementwise`` output: initial accumulator, and its right shift."""

    bias: int = 0
    shr:  int = 1


@dataclass
class nn_add_params_t:
    """``add_elementwise`` parameters; ``input`` has two."""

    input:  tuple[nn_add_input_t, ...] = field(
        default_factory=lambda: (nn_add_input_t(), nn_add_input_t()))
    output: nn_add_output_t = field(default_factory=nn_add_output_t)


@dataclass(eq=False)
class nn_add_vectors_t:
    """``add_elementwise`` parameters in 0.4.0, which also calls them ``nn_add_params_t``.

    Parameters
    ----------
    m1, m2, shift, bias_hi, bias_lo : memory, 32 bytes each: element ``k`` in a 16-element vector
        is ``(bias[k] + x1 * m1[k] + x2 * m2[k]) / 2**shift[k]``
    """

    m1:      np.ndarray = field(default_factory=lambda: np.zeros(16, np.int16))
    m2:      np.ndarray = field(default_factory=lambda: np.zeros(16, np.int16))
    shift:   np.ndarray = field(default_factory=lambda: np.ones(16, np.int16))
    bias_hi: np.ndarray = field(default_factory=lambda: np.zeros(16, np.int16))
    bias_lo: np.ndarray = field(default_factory=lambda: np.zeros(16, np.int16))


@dataclass
class nn_mul_params_t:
    """``mul_elementwise`` parameters, as ``mul_boggle`` fills them."""

    in1_zero_point: int = -1
    in2_zero_point: int = -1
    bias:           int = 0
    scalar:         int = 0
    vlashr_shr:     int = 0


@dataclass
class padding_sizes_t:
    """Pixels around an image."""

    top:    int = 0
    bottom: int = 0
    left:   int = 0
    right:  int = 0


@dataclass
class nn_pad_plan_t:
    """Byte counts for a padded image's parts, and its rows, as filled by ``pad_prepare``."""

    FIELDS: ClassVar = ("top_pad_bytes", "mid_loop_count", "left_pad_bytes", "mid_copy_bytes",
                        "right_pad_bytes", "bottom_pad_bytes")

    top_pad_bytes:    int = 0
    mid_loop_count:   int = 0
    left_pad_bytes:   int = 0
    mid_copy_bytes:   int = 0
    right_pad_bytes:  int = 0
    bottom_pad_bytes: int = 0


@dataclass
class otfn_int8_params_t:
    """``otfn_int8`` parameters: output channels, and their common shifts."""

    output_slice_channel_count: int = 16
    initial_shift: int = 0
    final_shr:     int = 0


@dataclass
class otfn_int8_channelwise_params_t:
    """``otfn_int8_channelwise`` parameters; the multiplier array also holds the first shifts."""

    output_slice_channel_count: int = 16
    final_shr: int = 0


@dataclass(eq=False)
class VPURingBuffer:
    """Accumulators for 16 channels: ``vD`` holds the high and ``vR`` the low halves.

    Parameters
    ----------
    vR, vD : memory, 32 bytes each
    """

    vR: np.ndarray = field(default_factory=lambda: np.zeros(16, np.int16))
    vD: np.ndarray = field(default_factory=lambda: np.zeros(16, np.int16))


class nn_conv2d_deep_flags_e(IntFlag):
    """``SLICED_K``: weights and BSO hold only this part's channels."""

    CONV2D_DEEP_FLAG_SLICED_K = 1


class nn_conv2d_shallowin_flags_e(IntFlag):
    """The same flags as ``conv2d_deep``."""

    CONV2D_SHALLOWIN_FLAG_SLICED_K = 1


class nn_conv2d_1x1_flags_e(IntFlag):
    """The same flags as ``conv2d_deep``."""

    CONV2D_1X1_FLAG_SLICED_K = 1


class nn_conv2d_depthwise_flags_e(IntFlag):
    """The same flags as ``conv2d_deep``."""

    CONV2D_DEPTHWISE_FLAG_SLICED_K = 1


class nn_maxpool2d_flags_e(IntFlag):
    """There are no flags."""

    MAXPOOL2D_FLAG_NONE = 0


class nn_avgpool2d_flags_e(IntFlag):
    """There are no flags."""

    AVGPOOL2D_FLAG_NONE = 0


class nn_avgpool2d_global_flags_e(IntFlag):
    """There are no flags."""

    AVGPOOL2D_GLOBAL_FLAG_NONE = 0


#: Flag enumerations.
FLAGS = (nn_conv2d_deep_flags_e, nn_conv2d_shallowin_flags_e, nn_conv2d_1x1_flags_e,
         nn_conv2d_depthwise_flags_e, nn_maxpool2d_flags_e, nn_avgpool2d_flags_e,
         nn_avgpool2d_global_flags_e)
