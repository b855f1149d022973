# SPDX-License-Identifier: Apache-2.0
"""Numbers in calls of lib_nn: both ends of every range are taken, the next number is told."""

from copy import deepcopy
from dataclasses import fields

import numpy as np
import pytest

from xymac.golden.api.xs3 import functions as lib
from xymac.golden.api.xs3 import ring_types, types
from xymac.golden.api.xs3.floats import round_away
from xymac.golden.api.xs3.prototypes import PROTOTYPES

LOW, TOP, WORD = -1 << 31, (1 << 31) - 1, (1 << 32) - 1
BYTES, WORDS   = np.zeros(128, np.int8), np.zeros(64, np.int32)
FLOATS         = np.ones(256, np.float32)
#: Functions whose structure ``params`` holds words with or without a sign.
RINGS = {
    "mat_mul_generic_int8": "mat_mul_generic_params_t",
    "mat_mul_generic_binary": "mat_mul_generic_params_t",
    "mat_mul_direct_int8": "mat_mul_direct_params_t",
    "mat_mul_direct_int16": "mat_mul_direct_params_t",
    "mat_mul_dw_direct": "mat_mul_dw_direct_params_t",
    "mat_mul_dw_direct_int16": "mat_mul_dw_direct_params_t",
    "maxpool_direct": "mat_mul_dw_direct_params_t",
    "memcpyfn_deref": "memcpyfn_deref_params_t",
    "memcpyfn_imtocol_padded": "memcpyfn_imtocol_padded_params_t",
    "memcpyfn_imtocol_valid": "memcpyfn_imtocol_valid_params_t",
    "otfn_int8_maxpool": "otfn_int8_channelwise_params_t",
    "otfn_int8_clamped": "otfn_int8_clamped_params_t",
    "output_transform_fn_int16": "otfn_int16_params_t",
}
SIZES  = lib.nn_image_params_t(4, 5, 8)
WINDOW = lib.nn_window_params_t(lib.nn_window_shape_t(3, 2))
DEEP   = {"Y": np.zeros((2, 4, 20), np.int8), "X": np.zeros((4, 5, 8), np.int8),
          "K": np.zeros((20, 3, 2, 8), np.int8), "BSO": np.zeros((2, 7, 16), np.uint16),
          "zero_point": 0, "x_params": SIZES, "y_params": lib.nn_image_params_t(2, 4, 20),
          "conv_window": WINDOW}
DEPTHWISE = DEEP | {"Y": np.zeros((2, 4, 8), np.int8), "K": np.zeros((3, 2, 8), np.int8),
                    "y_params": lib.nn_image_params_t(2, 4, 8)}
ROWS   = dict.fromkeys(("shift1", "scale", "offset_scale", "offset", "shift2"), WORDS)
PIXELS = {"outputs": BYTES, "inputs": BYTES, "N_3": 1, "pad_val": 0}
PAD    = {"y": BYTES, "x": BYTES, "p": types.nn_pad_plan_t(), "pad_value": 0}
SINGLES = {"outputs": WORDS, "inputs": BYTES, "N": 1, "pad_val": 0}
GLOBAL = {"Y": BYTES, "X": np.zeros(160, np.int8), "bias": 0, "scale": 1, "shift": 3,
          "x_params": SIZES}
SIGNS  = {"jobs": [ring_types.nn_bsign_8_job_t()], "zero_point_vect": BYTES, "N": 8,
          "zero_point": 0, "job_count": 1}
POINT  = {"params": ring_types.memcpyfn_deref_params_t(), "T": BYTES, "X": BYTES,
          "output_v_coord": 0, "output_h_coord": 0, "output_c_coord": 0}
#: (function, legal arguments, argument or field, both ends of its range).
CASES = [
    ("conv2d_deep", DEEP, "zero_point", -128, 127),
    ("conv2d_depthwise", DEPTHWISE, "zero_point", -128, 127),
    *(("conv2d_deep", DEEP, f"conv_window.start.{name}", LOW, TOP) for name in ("row", "column")),
    *(("conv2d_deep", DEEP, f"conv_window.shape.{name}", 1, TOP) for name in ("height", "width")),
    *(("conv2d_deep", DEEP, f"conv_window.stride.{name}", 1, TOP)
      for name in ("vertical", "horizontal")),
    ("avgpool2d_global", GLOBAL, "bias", LOW, TOP),
    ("avgpool2d_global", GLOBAL, "scale", -128, 127),
    ("pad_3_to_4_run", PIXELS, "pad_val", LOW, WORD), ("pad_3_to_4_run", PIXELS, "N_3", 0, TOP),
    ("pad_1_to_4_run", SINGLES, "pad_val", LOW, WORD), ("pad_1_to_4_run", SINGLES, "N", 0, TOP),
    ("pad_run", PAD, "pad_value", LOW, WORD),
    *(("pad_run", PAD, f"p.{name}", 0, TOP) for name in types.nn_pad_plan_t.FIELDS),
    *((name, {"dst": BYTES, source: value, count: 1}, count, 0, TOP)
      for name, source, value, count in (
          ("vpu_memcpy", "src", BYTES, "byte_count"),
          ("vpu_memcpy_vector_ext", "src", BYTES, "vector_count"),
          ("vpu_memset_256", "src", BYTES, "byte_count"),
          ("vpu_memset_32", "value", 1, "word_count"),
          ("vpu_memset_vector", "value", 1, "vector_count"))),
    ("vpu_memset_32", {"dst": BYTES, "value": 1, "word_count": 1}, "value", LOW, WORD),
    *(("pad_3_to_4_prepare", {"n_3": WORDS, "height": 1, "width": 1}, name, 0, top)
      for name, top in (("height", TOP), ("width", TOP))),
    ("softmax_generate_exp_lut", {"zero_point": 0, "scale": 0.5, "lut": FLOATS}, "zero_point",
     LOW, TOP),
    ("softmax_ref", {"Y": BYTES, "X": BYTES, "zero_point": 0, "scale": 0.5, "length": 3},
     "length", 1, TOP),
    ("softmax_single", {"Y": BYTES, "X": BYTES, "lut": FLOATS, "offset": 3}, "offset", 0, TOP),
    *(("softmax_exp_sum", {"Y": FLOATS, "X": BYTES, "lut": FLOATS, "elm_start": 0,
                           "elm_count": 3}, name, 0, TOP) for name in ("elm_start", "elm_count")),
    ("expand_8_to_16", {"output": WORDS, "input": BYTES, "N": 3}, "N", 0, TOP),
    *((name, {"input": WORDS, "output": WORDS, "start_dim_size": 1, "mean_dim_size": 1,
              "end_dim_size": 1, **zeros, "scale_mul": 0.5}, f"{dim}_dim_size", 1, TOP)
      for name, zeros in (("mean_int8", {"in_zero_point": 0, "out_zero_point": 0}),
                          ("mean_int16", {})) for dim in ("start", "mean", "end")),
    ("bsign_8_prepare", SIGNS, "zero_point", -128, 127), ("bsign_8_prepare", SIGNS, "N", 0, TOP),
    ("bsign_8_prepare", SIGNS, "job_count", 1, TOP),
    *(("memcpyfn_deref", POINT, f"output_{axis}_coord", LOW, TOP) for axis in "vhc"),
    ("nn_standard_BSO_layout", {"bso_out": WORDS, "bias": WORDS, **ROWS, "scratch": None,
                                "C_out": 1}, "C_out", 0, TOP),
    ("argmax_16", {"Y": WORDS, "X": WORDS, "N": 1}, "N", LOW, TOP),
]


def said(name, args):
    """What a call says; empty if nothing."""
    try:
        lib.function(name)(*args)
    except (ValueError, TypeError, AttributeError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", RINGS)
def test_fields_hold_words_with_or_without_a_sign(name):
    kind = getattr(ring_types, RINGS[name], None) or getattr(types, RINGS[name])
    rest = [None] * (len(PROTOTYPES[name]) - 1)
    for field in fields(kind):
        for value in (LOW - 1, LOW, WORD, WORD + 1):
            text = said(name, [kind(**{field.name: value}), *rest])
            told = f"params.{field.name} must be between {LOW} and {WORD}, not {value}" in text
            assert told == (not LOW <= value <= WORD), (field.name, value, text)
        assert f"params.{field.name} must be an int, not str" in said(
            name, [kind(**{field.name: "1"}), *rest])


@pytest.mark.parametrize(("name", "legal", "path", "low", "high"), CASES)
def test_both_ends_of_a_range(name, legal, path, low, high):
    assert not said(name, deepcopy(list(legal.values())))
    for value in (low - 1, low, high, high + 1):
        args = deepcopy(legal)
        first, *parents = path.split(".")
        if parents:
            owner = args[first]
            for parent in parents[:-1]:
                owner = getattr(owner, parent)
            setattr(owner, parents[-1], value)
        else:
            args[first] = value
        text = said(name, list(args.values()))
        told = f"{path} must be between {low} and {high}, not {value}" in text
        assert told == (not low <= value <= high), (value, text)


@pytest.mark.parametrize("name", [
    "mat_mul_generic_int8", "mat_mul_direct_int8", "mat_mul_dw_direct", "maxpool_direct",
    "memcpyfn_imtocol_padded", "memcpyfn_imtocol_valid"])
def test_memory_that_is_none_is_told(name):
    kind   = getattr(ring_types, RINGS[name])
    others = {"A": types.VPURingBuffer(), "output_channel_group": 0, "T": BYTES, "X": BYTES,
              "weights": np.zeros(512, np.int8), "output_v_coord": 0, "output_h_coord": 0,
              "output_c_coord": 0}
    inputs = {"T", "X", "weights"} & set(PROTOTYPES[name])
    if name.startswith("memcpyfn"):
        inputs -= {"T"}
    for wrong in inputs:
        args = [kind(), *((others | {wrong: [0]})[each] for each in PROTOTYPES[name][1:])]
        assert f"{wrong} must be a numpy array of integers, not list" in said(name, args)


def test_factors_up_to_both_ends():
    """The factor -2 is a word, and the largest number below 2."""
    factors, words = np.array([-2, np.nextafter(2, 0, dtype=np.float32)], np.float32), WORDS.copy()
    lib.output_transform_fn_int16_kernel_transform(
        None, factors, np.zeros(2, np.int32), None, words, 1, 2)
    assert sorted(words[words != 0].tolist()) == [LOW, (1 << 31) - 128]


def test_halves_go_away_from_zero():
    values = np.array([0, 0.5, -0.5, 1.5, -2.5, 0.25, -0.75], np.float32)
    assert round_away(values).tolist() == [0, 1, -1, 2, -3, 0, -1]
