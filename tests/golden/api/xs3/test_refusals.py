# SPDX-License-Identifier: Apache-2.0
"""Calls of lib_nn that cannot be: one sentence that names the argument, and nothing written."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.golden.api.xs3 import functions as lib
from xymac.golden.api.xs3.functions import LibNn

SIZES = lib.nn_image_params_t(4, 5, 8)
OUT   = lib.nn_image_params_t(2, 4, 20)
FIT   = lib.nn_window_params_t(lib.nn_window_shape_t(3, 2))


def job(start, size):
    return lib.nn_window_op_job_params_t(lib.nn_image_vect_t(*start), lib.nn_image_vect_t(*size))


def deep(**changes):
    """Arguments of a legal call of ``conv2d_deep``, or ``conv2d_deep_ext``, but for ``changes``."""
    rng  = random_of(1)
    bso  = np.zeros((2, 7, 16), np.uint16)
    args = {"Y": np.zeros((2, 4, 20), np.int8), "X": rng.integers(-9, 9, (4, 5, 8), np.int8),
            "K": rng.integers(-9, 9, (20, 3, 2, 8), np.int8), "BSO": bso, "zero_point": 0,
            "x_params": SIZES, "y_params": OUT, "conv_window": FIT}
    return args | changes


def refuse(name, args, message):
    """Check that a call says ``message``, with its name before it, and leaves its memory."""
    before = {key: value.copy() for key, value in args.items() if isinstance(value, np.ndarray)}
    with pytest.raises(ValueError, match=rf"^{name}: {message}$"):
        lib.function(name)(**args)
    for key, value in before.items():
        np.testing.assert_array_equal(args[key], value)


@pytest.mark.parametrize(("changes", "message"), [
    ({"Y": np.zeros(159, np.int8)}, "Y must have 160 bytes, not 159"),
    ({"Y": [0] * 160}, "Y must be a numpy array of integers, not list"),
    ({"Y": np.zeros(160, np.float32)}, "Y must be a numpy array of integers, not float32"),
    ({"X": np.zeros((4, 10, 8), np.int8)[:, ::2]},
     r"X must be contiguous, not with strides \(80, 16, 1\)"),
    ({"X": np.zeros(10, np.int16)}, "X must have 160 bytes, not 20"),
    ({"K": np.zeros(959, np.int8)}, "K must have 960 bytes, not 959"),
    ({"BSO": np.zeros((1, 7, 16), np.int16)}, "BSO must have 448 bytes, not 224"),
    ({"zero_point": 128}, "zero_point must be between -128 and 127, not 128"),
    ({"zero_point": 1.0}, "zero_point must be an int, not float"),
    ({"x_params": (4, 5, 8)}, "x_params must be of nn_image_params_t, not tuple"),
    ({"x_params": replace(SIZES, channels=6)}, "Input channels must be a multiple of 4, not 6"),
    ({"y_params": replace(OUT, channels=18)}, "Output channels must be a multiple of 4, not 18"),
    ({"y_params": replace(OUT, width=0)}, "y_params.width must be between 1 and 2147483647, not 0"),
    ({"conv_window": None}, "conv_window must be of nn_window_params_t, not NoneType"),
    ({"conv_window": replace(FIT, stride=lib.nn_window_step_t(0, 1))},
     "conv_window.stride.vertical must be between 1 and 2147483647, not 0"),
    ({"conv_window": replace(FIT, start=(0, 0))},
     "conv_window.start must be of nn_window_start_t, not tuple")])
def test_bad_convolutions(changes, message):
    refuse("conv2d_deep", deep(**changes), message)


@pytest.mark.parametrize(("part", "flags", "message"), [
    (None, 0, "job_params must be of nn_window_op_job_params_t, not NoneType"),
    (job((0, 0, 0), (3, 1, 4)), 0,
     "rows of job_params must stay within the 2 of the output, not reach 3"),
    (job((0, 0, 16), (1, 1, 8)), 0,
     "channels of job_params must stay within the 20 of the output, not reach 24"),
    (job((0, -1, 0), (1, 1, 4)), 0, r"job_params.start.cols must be between 0 and \d+, not -1"),
    (job((0, 0, 4), (1, 1, 4)), 0, "start.channels of job_params must be a multiple of 16, not 4"),
    (job((0, 0, 0), (1, 1, 4)), 2,
     "flags must be flags of nn_conv2d_deep_flags_e, at most 1, not 2")])
def test_bad_parts(part, flags, message):
    refuse("conv2d_deep_ext", deep(job_params=part, flags=flags), message)


def test_memory_that_cannot_be_written_is_refused():
    args = deep()
    args["Y"].flags.writeable = False

    refuse("conv2d_deep", args, "Y must be memory that can be written, not read only")


@pytest.mark.parametrize(("name", "args", "message"), [
    ("conv2d_shallowin", deep(x_params=lib.nn_image_params_t(4, 3, 12)),
     "x_params.channels must divide 32, unlike 12"),
    ("conv2d_depthwise", deep(), "y_params.channels must be the 8 of the input, not 20"),
    ("conv2d_1x1", {key: value for key, value in deep().items()
                    if key not in ("zero_point", "conv_window")},
     "y_params must have the height and width of the input, 4 and 5, not 2 and 4"),
    ("maxpool2d", {"Y": np.zeros(64, np.int8), "X": np.zeros(160, np.int8), "x_params": SIZES,
                   "y_params": replace(OUT, channels=8),
                   "pooling_window": replace(FIT, start=lib.nn_window_start_t(-1, 0))},
     "Windows must lie inside of the 4 rows of the input, not from -1 to 3"),
    ("avgpool2d_global_ext", {"Y": np.zeros(8, np.int8), "X": np.zeros(160, np.int8), "bias": 0,
                              "scale": 1, "shift": 0, "x_params": SIZES, "chan_start": 4,
                              "chan_count": 8, "flags": 0},
     "Channels must stay within the 8 of the input, not reach 12"),
    ("avgpool2d_global", {"Y": np.zeros(8, np.int8), "X": np.zeros(160, np.int8), "bias": 0,
                          "scale": 1, "shift": 32, "x_params": SIZES},
     "shift must be between 0 and 31, not 32"),
    ("fully_connected_16", {"Y": np.zeros(20, np.int16), "W": np.zeros(80, np.int8),
                            "X": np.zeros(4, np.int8), "BSO": np.zeros(224, np.int16), "N": 4,
                            "output_start": 8, "output_count": 8},
     "output_start must be a multiple of 16, not 8"),
    ("fc_deepin_shallowout_8", {"W": np.zeros(544, np.int8), "B": np.zeros(17, np.int32),
                                "X": np.zeros(32, np.int8), "Y": np.zeros(17, np.int8),
                                "C_out": 17, "C_in": 32, "shifts": np.zeros(17, np.uint16),
                                "scales": np.zeros(17, np.int16)},
     "Outputs must be at most 16, not 17"),
    ("lookup8", {"Y": np.zeros(9, np.uint8), "X": np.zeros(9, np.uint8),
                 "lut": np.zeros(255, np.uint8), "elm_start": 0, "elm_count": 9},
     "lut must have 256 bytes, not 255"),
    ("add_elementwise", {"Y": np.zeros(9, np.int8), "X0": np.zeros(9, np.int8),
                         "X1": np.zeros(9, np.int8), "elm_start": 0, "elm_count": 9,
                         "params": lib.nn_add_params_t(output=lib.nn_add_output_t(0, 0))},
     "shift must be between 1 and 31, not 0"),
    ("otfn_int8", {"params": lib.otfn_int8_params_t(20), "Y": np.zeros(20, np.int8),
                   "A": lib.VPURingBuffer(), "output_channel_group": 2,
                   "multipliers_and_biases": np.zeros(40, np.int16)},
     "output_channel_group must be less than 2, the groups of 20 channels, not 2"),
    ("otfn_int8_channelwise", {"params": lib.otfn_int8_params_t(16), "Y": np.zeros(16, np.int8),
                               "A": lib.VPURingBuffer(), "output_channel_group": 0,
                               "multipliers_and_biases": np.zeros(48, np.int16)},
     "params must be of otfn_int8_channelwise_params_t, not otfn_int8_params_t")])
def test_bad_calls(name, args, message):
    refuse(name, args, message)


def test_an_operator_that_cannot_be_symmetric_is_refused():
    with pytest.raises(ValueError, match=r"^symmetric must name some of conv2d_deep, .*, "
                                         r"not maxpool2d$"):
        LibNn(symmetric=["conv2d_1x1", "maxpool2d"])


def test_wrong_arguments_are_python_errors():
    with pytest.raises(TypeError, match="missing a required argument: 'N'"):
        lib.argmax_16(1, 2)
