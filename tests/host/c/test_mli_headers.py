# SPDX-License-Identifier: Apache-2.0
"""Headers of MLI 1.x in C: the functions and structures of both releases."""

import re
import subprocess

import pytest

from tests.support.c.programs import compile_c
from xymac.golden.api.mli1.names import GRAMMAR, HELPERS

RELEASES = ("10", "11")


def declared(driver, release):
    """Argument names of every function that ``mli_api.h`` declares, a dict by name."""
    (driver / "names.c").write_text('#include "mli_api.h"\n')
    command = ["gcc", "-E", "-I.", f"-DXYMAC_MLI_RELEASE={release}", "names.c"]
    text  = subprocess.run(command, cwd=driver, check=True, capture_output=True, text=True).stdout
    named = re.findall(r"\b(mli_(?:krn|hlp|mov)_\w+)\(([^)]*)\);", re.sub(r"\s+", " ", text))
    return {name: [re.search(r"(\w+)$", each.strip())[1] for each in arguments.split(",")]
            for name, arguments in named}


@pytest.mark.parametrize("release", RELEASES)
def test_the_header_has_the_functions_of_the_release(driver, release):
    named = declared(driver, release)

    assert {*named} == {name for key in FUNCTIONS if key <= release for name in FUNCTIONS[key]}
    for name, arguments in named.items():
        if not ("_mov_" in name or "sa8" in name or name in NEW_HELPERS):
            expected = GRAMMAR.parse(name).arguments
            assert [each.removesuffix("_") for each in expected] == arguments, name


@pytest.mark.parametrize("release", RELEASES)
def test_structures_have_the_fields_of_the_release(driver, release):
    """A positional initialiser in the release's field order, and no field more."""
    strides = "int32_t mem_stride[4]; " if release == "11" else ""
    tensor  = (f"void *data; uint32_t capacity; {strides}uint32_t shape[4]; uint32_t rank; "
               "mli_element_type el_type; mli_element_params el_params;")
    structures = {"mli_tensor": tensor, **STRUCTURES}
    lines = ["#include <stddef.h>", '#include "mli_api.h"', SAME]
    for name, fields in structures.items():
        lines += [f"typedef struct {{ {fields} }} own_{name};",
                  f"typedef char size_{name}[sizeof({name}) == sizeof(own_{name}) ? 1 : -1];"]
        lines += [f"SAME({name}, own_{name}, {field})" for field in re.findall(
            r"(\w+)(?:\[\w+\])?;", fields)]
    (driver / "fields.c").write_text("\n".join([*lines, "int main(void) { return 0; }", ""]))
    compile_c(driver / "fields.c", driver, f"-DXYMAC_MLI_RELEASE={release}")


@pytest.mark.parametrize("release", RELEASES)
def test_macros_of_the_release(driver, release):
    names = [*MACROS, *(f"{name}_IS_XY" for name in POINTERS if release == "11")]
    lines = ['#include "mli_api.h"']
    for name in names:
        lines += [f"#ifndef {name}", f'#error "{name} is missing"', "#endif"]
    lines += [f"typedef char mode_{mode}[DBG_MODE_{mode} == {value} ? 1 : -1];"
              for value, mode in enumerate(MODES)]
    (driver / "macros.c").write_text("\n".join([*lines, "int main(void) { return 0; }", ""]))
    compile_c(driver / "macros.c", driver, f"-DXYMAC_MLI_RELEASE={release}")


#: Macros of the headers of both releases.
MODES    = ("RELEASE", "RET_CODES", "ASSERT", "DEBUG", "FULL")
POINTERS = ("MLI_PTR", "MLI_OUT_PTR", "MLI_CONV_OUT_PTR")
MACROS   = (*POINTERS, "ARC_PLATFORM", "ARC_PLATFORM_STR", "V2DSP", "V2DSP_XY", "V2DSP_WIDE",
            "MLI_DEBUG_MODE", "MLI_MAX_RANK", "MLI_CONCAT_MAX_TENSORS", "_MLI_CONFIG_H_",
            "_MLI_TYPES_H_")
#: Fails to compile unless a field of two structures has one place and one size.
SAME = ("#define SAME(a, b, f) typedef char same_##a##_##f[offsetof(a, f) == offsetof(b, f) && "
        "sizeof(((a *)0)->f) == sizeof(((b *)0)->f) ? 1 : -1];")
#: Fields of the structures in both releases.
_PADS      = "".join(f"uint8_t padding_{side}; " for side in ("left", "right", "top", "bottom"))
_STRIDES   = "uint8_t stride_width; uint8_t stride_height; "
STRUCTURES = {
    "mli_conv2d_cfg": f"mli_relu_cfg relu; {_STRIDES}{_PADS}",
    "mli_pool_cfg": f"uint8_t kernel_width; uint8_t kernel_height; {_STRIDES}{_PADS}",
    "mli_rnn_cell_cfg": "mli_rnn_mode mode; mli_rnn_out_activation act; mli_tensor *ir_tsr;",
    "mli_permute_cfg": "uint8_t perm_dim[4];",
    "mli_padding2d_cfg": _PADS,
    "mli_concat_cfg": "uint8_t tensors_num; uint8_t axis;",
    "mli_point_to_subtsr_cfg":
        "uint32_t start_coord[4]; uint8_t coord_num; uint8_t first_out_dim_size;"}


def _functions(pattern, types):
    return [f"mli_krn_{pattern}_{kind}" for kind in types.split()]


NEW_HELPERS = [f"mli_hlp_{name}" for name in (
    "create_subtensor", "tensor_scale_shift", "tensor_scale")]
#: Functions of 1.0, and the functions that 1.1 adds.
FUNCTIONS = {
    "10": [*(f"mli_hlp_{name}" for name in HELPERS),
            *(name for kind in ("conv2d_chw", "conv2d_hwc", "depthwise_conv2d_chw",
                                "fully_connected", "lstm_cell", "basic_rnn_cell")
              for name in _functions(kind, "fx8 fx16 fx8w16d")),
            *(name for kind in ("conv2d_chw", "depthwise_conv2d_chw", "avepool_chw", "maxpool_chw")
              for name in _functions(kind, "fx8_generic fx16_generic")),
            *(name for kind in ("avepool_chw", "avepool_hwc", "maxpool_chw", "maxpool_hwc", "relu",
                                "leaky_relu", "sigm", "tanh", "softmax", "permute", "concat",
                                "padding2d_chw", "padding2d_hwc",
                                *(f"eltwise_{op}" for op in "add sub mul min max".split()))
              for name in _functions(kind, "fx8 fx16"))],
    "11": [*NEW_HELPERS, *_functions("conv2d_nhwc", "sa8_sa8_sa32 sa8_sa8_sa32_generic"),
            *_functions("depthwise_conv2d_hwcn", "sa8_sa8_sa32 sa8_sa8_sa32_generic"),
            "mli_krn_avepool_hwc_sa8", "mli_krn_fully_connected_sa8_sa8_sa32",
            *_functions("maxpool_hwc", "sa8 fx8_generic fx16_generic sa8_generic"),
            *(f"mli_mov_{name}" for name in (
                "tensor_sync prepare start isdone wait set_num_dma_ch "
                "acquire_handle release_handle cfg_for_copy cfg_for_slice cfg_for_concat "
                "cfg_for_subsample cfg_for_permute cfg_for_padding2d_chw cfg_for_padding2d_hwc "
                "cfg_all").split())]}
