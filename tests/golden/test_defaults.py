# SPDX-License-Identifier: Apache-2.0
"""Numbers that fields and arguments have by default: 0, but for those listed."""

from inspect import signature

import pytest

from xymac.golden import mli1, mli2, tflm, xs3
from xymac.golden.api.mli1 import configs as mli1_configs
from xymac.golden.api.mli1 import types as mli1_types
from xymac.golden.api.mli2 import configs as mli2_configs
from xymac.golden.api.mli2 import types as mli2_types
from xymac.golden.api.mli2.mov.configs import mli_mov_cfg_t, mli_mov_handle_t
from xymac.golden.api.xs3 import memory, ring_types
from xymac.golden.api.xs3 import types as xs3_types

ONES   = {"stride_width": 1, "stride_height": 1}
STEPS  = {"stride": (1, 1)}
WINDOW = STEPS | {"dilation": (1, 1)}
DEFAULTS = [
    (mli1_configs.mli_conv2d_cfg, ONES),
    (mli1_configs.mli_pool_cfg, ONES | {"kernel_width": 1, "kernel_height": 1}),
    (mli1_configs.mli_permute_cfg, {"perm_dim": (0, 1, 2, 3)}),
    (mli1_configs.mli_point_to_subtsr_cfg, {"coord_num": 1, "first_out_dim_size": 1}),
    (mli1_configs.mli_relu_cfg, {}),
    (mli1_configs.mli_concat_cfg, {"tensors_num": 1}),
    (mli1_configs.mli_padding2d_cfg, {}),
    (mli1_configs.mli_rnn_cell_cfg, {}),
    (mli1_types.mli_fx_params, {}),
    (mli1_types.mli_asym_params, {"scale": 1, "dim": -1}),
    (mli2_configs.mli_conv2d_cfg, ONES | {"dilation_width": 1, "dilation_height": 1}),
    (mli2_configs.mli_rnn_dense_cfg, {"inputs_num": 1}),
    (mli2_configs.mli_rnn_cell_cfg, {"act": 1}),
    (mli2_configs.mli_prelu_cfg, {"axis": -1}),
    (mli2_configs.mli_argmax_cfg, {"axis": -1, "topk": 1}),
    (mli2_configs.mli_sub_tensor_cfg, {"size": (1, 1, 1, 1), "sub_tensor_rank": 4}),
    (mli2_configs.mli_lut, {"type": 0x010}),
    (mli2_types.mli_fx_params, {}),
    (mli2_types.mli_sa_params, {"scale": 1, "dim": -1}),
    (mli2_types.mli_tensor, {}),
    (mli_mov_cfg_t, {"sub_sample_step": (1, 1, 1, 1), "perm_dim": (0, 1, 2, 3)}),
    (mli_mov_handle_t, {}),
    (xs3_types.nn_image_params_t, {"height": 1, "width": 1, "channels": 1}),
    (xs3_types.nn_window_shape_t, {"height": 1, "width": 1}),
    (xs3_types.nn_window_start_t, {}),
    (xs3_types.nn_window_step_t, {"vertical": 1, "horizontal": 1}),
    (xs3_types.nn_image_vect_t, {}),
    (xs3_types.nn_conv2d_1x1_size_t, {}),
    (xs3_types.nn_add_input_t, {}),
    (xs3_types.nn_add_output_t, {"shr": 1}),
    (xs3_types.nn_mul_params_t, {"in1_zero_point": -1, "in2_zero_point": -1}),
    (xs3_types.padding_sizes_t, {}),
    (xs3_types.nn_pad_plan_t, {}),
    (xs3_types.otfn_int8_params_t, {"output_slice_channel_count": 16}),
    (xs3_types.otfn_int8_channelwise_params_t, {"output_slice_channel_count": 16}),
    (ring_types.mat_mul_generic_params_t, {"output_slice_channel_count": 16,
                                           "bytes_per_kernel_channel": 32}),
    (ring_types.mat_mul_direct_params_t, {"bytes_per_kernel_channel": 512}),
    (ring_types.mat_mul_dw_direct_params_t, {"bytes_per_kernel_channel_group": 16}),
    (ring_types.memcpyfn_deref_params_t, {}),
    (ring_types.memcpyfn_imtocol_padded_params_t, dict.fromkeys((
        "kernel_height", "input_v_length", "kernel_width", "input_h_length",
        "horizontal_dilation", "vertical_dilation", "vertical_stride", "horizontal_stride"), 1)),
    (ring_types.memcpyfn_imtocol_valid_params_t, {}),
    (ring_types.otfn_int8_clamped_params_t, {"output_slice_channel_count": 16}),
    (ring_types.otfn_int16_params_t, {"output_slice_channel_count": 16}),
    (ring_types.nn_bsign_8_job_t, {}),
    (memory.view, {}),
    (memory.writable, {}),
    (memory.read_count, {"high": 0x7FFF_FFFF}),
    (memory.read, {}),
    (mli1.Conv2d, STEPS), (mli1.DepthwiseConv2d, STEPS), (mli1.MaxPool, {}), (mli1.AvePool, {}),
    (mli1.conv2d, STEPS), (mli1.depthwise_conv2d, STEPS), (mli1.max_pool, {}), (mli1.ave_pool, {}),
    (mli2.Conv2d, WINDOW), (mli2.GroupConv2d, WINDOW), (mli2.DepthwiseConv2d, WINDOW),
    (mli2.TransposeConv2d, WINDOW), (mli2.MaxPool, {}), (mli2.AvePool, {}),
    (xs3.Conv2d1x1, {"low": -128}), (xs3.Conv2dDeep, {"low": -128}), (xs3.Window, STEPS),
    (xs3.Conv2dShallowin, {"low": -128}), (xs3.Conv2dDepthwise, {"low": -128}),
    (xs3.AvgPool2d, {"low": -128}), (xs3.AvgPool2dGlobal, {"low": -128}),
    (xs3.FullyConnected, {"out_bits": 8, "low": -128}), (xs3.FcDeepin, {"out_bits": 8}),
    (xs3.Requantize16To8, {"low": -128}), (xs3.AddElementwise, {"low": -128}),
    (tflm.PlainConv, WINDOW), (tflm.PlainDepthwise, WINDOW), (tflm.PlainMatmul, {}),
    (tflm.PlainTransposeConv, WINDOW | {"sizes": (1, 1)}), (tflm.Conv2d, WINDOW),
    (tflm.DepthwiseConv2d, WINDOW), (tflm.TransposeConv, WINDOW | {"sizes": (1, 1)}),
]


def _numbers(owner):
    """Default numbers that are not 0, by name."""
    held = {name: each.default for name, each in signature(owner).parameters.items()}
    return {name: value for name, value in held.items() if (
        isinstance(value, tuple) and any(value)) or (isinstance(value, int) and int(value))}


@pytest.mark.parametrize(("owner", "wanted"), DEFAULTS)
def test_numbers_by_default(owner, wanted):
    assert _numbers(owner) == wanted
