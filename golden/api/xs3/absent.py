# SPDX-License-Identifier: Apache-2.0
"""lib_nn functions and XS3 unit instructions without a golden model, with reasons."""

from __future__ import annotations

__all__ = ["ABSENT_FUNCTIONS", "ABSENT_INSTRUCTIONS", "sentence"]

_BINARY    = ("it is a binary convolution of the older library alone, with output parameters of "
              "its own; that of the newer one, memcpyfn_*, mat_mul_*_binary, otfn_binary and "
              "otfn_int8_clamped, is here")
_PREPARES  = "it prepares constants of the binary convolutions of the older library"
_COLUMNS   = ("it adds along columns of a scratch image, an order of sums without a model; "
              "conv2d_shallowin and conv2d_deep are here")
_STRIP     = "it is a part of {}, which is here, and takes strides in place of shapes"
_CURVES    = ("it fits curves in floating point, where compilers and C libraries differ; "
              "quadratic_interpolation_128, which reads its tables, is here")
_REGISTERS = "the registers of the unit have no model, an instruction here takes arrays"


def _strips(operator, *kinds):
    return {f"nn_conv2d_hstrip_{kind}": _STRIP.format(operator) for kind in kinds}


#: Functions: reason by name. Source: the headers of lib_nn 96bd67c, and of the newer library
#: the kernel headers.
ABSENT_FUNCTIONS = {
    **dict.fromkeys((
        "bconv2d_bin", "bconv2d_bin_valid", "bconv2d_bin_DI", "bconv2d_bin_DI_valid",
        "bconv2d_int8", "bconv2d_int8_valid", "bconv2d_int8_DIDO", "bconv2d_int8_DIDO_valid"),
        _BINARY),
    **dict.fromkeys((
        "bnn_populate_output_transform_values", "bnn_post_activation_reference",
        "bnn_quantise_activation", "bnn_reorder_threshold_tensor", "bnn_reorder_kernel_tensor",
        "compute_int8_over_RW_bytes"), _PREPARES),
    **dict.fromkeys(("conv2d_im2col", "conv2d_im2col_init"), _COLUMNS),
    **_strips("conv2d_deep", "deep", "deep_padded", "tail_deep", "tail_deep_padded"),
    **_strips("conv2d_shallowin", "shallowin", "shallowin_padded", "tail_shallowin",
              "tail_shallowin_padded"),
    **_strips("conv2d_depthwise", "depthwise", "depthwise_padded"),
    **dict.fromkeys((
        "quadratic_approximation_generator", "quadratic_function_table_number_bytes",
        "quadratic_function_table_bytes", "approximation_function_tanh",
        "approximation_function_logistics", "approximation_function_elu",
        "approximation_function_relu", "approximation_function_relu6"), _CURVES),
    "mat_mul_direct_int16x8": "the library has none for the XS3 unit; mat_mul_direct_int16 is here",
}

#: Instructions: the reason by name.
ABSENT_INSTRUCTIONS = {
    "VADDDR":   "which accumulator receives the sum is not documented",
    "VSTRPV":   "it stores some bytes of a register, which is an assignment to a part of an array",
    **dict.fromkeys(("VSETC", "VCLRDR", "VLDR", "VLDD", "VLDC", "VSTR", "VSTD", "VSTC"),
                    _REGISTERS),
}


def sentence(name: str) -> str:
    """Message about the missing function or instruction ``name``."""
    if name in ABSENT_INSTRUCTIONS:
        return f"{name} of the XS3 unit has no model: {ABSENT_INSTRUCTIONS[name]}"
    return f"{name} of lib_nn is not here: {ABSENT_FUNCTIONS[name]}"
