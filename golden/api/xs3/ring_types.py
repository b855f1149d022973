# SPDX-License-Identifier: Apache-2.0
"""Parameter structures in the newer lib_nn for windows, sums and outputs, as the library has them.

Source: lib_nn 0.4.0, api/MemCpyFn.hpp, AggregateFn.hpp, OutputTransformFn.hpp.
"""

from dataclasses import dataclass

__all__ = [
    "mat_mul_direct_params_t", "mat_mul_dw_direct_params_t", "mat_mul_generic_params_t",
    "memcpyfn_deref_params_t", "memcpyfn_imtocol_padded_params_t",
    "memcpyfn_imtocol_valid_params_t", "nn_bsign_8_job_t",
    "otfn_int8_clamped_params_t", "otfn_int16_params_t",
]


@dataclass
class mat_mul_generic_params_t:
    """Sums over a gathered window: output channels, and weight bytes per channel."""

    output_slice_channel_count: int = 16
    bytes_per_kernel_channel:   int = 32


@dataclass
class mat_mul_direct_params_t:
    """Sums over a window in an image: weight bytes per 16 channels, counts minus 1, and steps."""

    bytes_per_kernel_channel:   int = 512
    k_height_loop_counter:      int = 0
    k_width_loop_counter:       int = 0
    input_channel_loop_counter: int = 0
    inner_x_h_step:             int = 0
    inner_x_v_step:             int = 0


@dataclass
class mat_mul_dw_direct_params_t:
    """Sums or maxima per channel: weight bytes per 16 channels, counts minus 1, and steps."""

    bytes_per_kernel_channel_group: int = 16
    k_height_loop_counter:          int = 0
    k_width_loop_counter:           int = 0
    inner_x_h_step:                 int = 0
    inner_x_v_step:                 int = 0


@dataclass
class memcpyfn_deref_params_t:
    """Bytes from window to window."""

    bytes_per_h_line: int = 0
    bytes_per_pixel:  int = 0


@dataclass
class memcpyfn_imtocol_padded_params_t:
    """Windows in a padded image."""

    kernel_height:              int = 1
    input_v_length:             int = 1
    kernel_width:               int = 1
    input_h_length:             int = 1
    x_h_mem_stride:             int = 0
    horizontal_dilation:        int = 1
    x_v_mem_stride:             int = 0
    vertical_dilation:          int = 1
    bytes_per_copy_per_channel: int = 0
    padding_val:                int = 0
    bytes_per_h_line:           int = 0
    bytes_per_pixel:            int = 0
    padding_left:               int = 0
    padding_top:                int = 0
    vertical_stride:            int = 1
    horizontal_stride:          int = 1


@dataclass
class memcpyfn_imtocol_valid_params_t:
    """Windows inside an image; sizes and channel groups are stored minus 1."""

    bytes_per_h_line:      int = 0
    bytes_per_pixel:       int = 0
    input_height:          int = 0
    input_width:           int = 0
    input_channel_groups:  int = 0
    T_rewind:              int = 0
    horizontal_mem_stride: int = 0
    vertical_mem_stride:   int = 0
    T_vstrpv_mask:         int = 0
    T_dontzero:            int = 0


@dataclass
class otfn_int8_clamped_params_t:
    """``otfn_int8_clamped`` parameters: output channels and shifts."""

    output_slice_channel_count: int = 16
    initial_shift:              int = 0
    final_shr:                  int = 0


@dataclass
class otfn_int16_params_t:
    """``output_transform_fn_int16`` output channels."""

    output_slice_channel_count: int = 16


@dataclass
class nn_bsign_8_job_t:
    """``bsign_8`` call elements, as filled by ``bsign_8_prepare``."""

    start:  int = 0
    length: int = 0
