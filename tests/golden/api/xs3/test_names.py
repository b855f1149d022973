# SPDX-License-Identifier: Apache-2.0
"""Names of lib_nn: every one can be looked up, and what is not here says so in a sentence."""

from inspect import signature
from pathlib import Path

import numpy as np
import pytest

from xymac.golden.api import xs3
from xymac.golden.api.xs3 import functions as lib
from xymac.golden.api.xs3.absent import ABSENT_FUNCTIONS, ABSENT_INSTRUCTIONS
from xymac.golden.api.xs3.functions import Function, LibNn
from xymac.golden.api.xs3.prototypes import PROTOTYPES
from xymac.golden.xs3 import instructions

LINES = [line for line in (Path(__file__).parent / "names.txt").read_text().splitlines()
         if not line.startswith("#")]
NAMES = dict(line.split("(") for line in LINES if "(" in line)
GONE  = [line for line in LINES if "(" not in line]


def test_names_and_arguments_are_those_of_the_library():
    assert len(LINES) == len({line.partition("(")[0] for line in LINES})
    assert {name: f"{', '.join(arguments)})" for name, arguments in PROTOTYPES.items()} == NAMES


def test_what_is_not_here_is_listed():
    assert sorted([*ABSENT_FUNCTIONS, *ABSENT_INSTRUCTIONS]) == sorted(GONE)
    assert not set(GONE) & set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_a_function(name):
    for look_up in (lib.function, lambda text: getattr(lib, text), LibNn().function,
                    lambda text: getattr(LibNn(), text)):
        function = look_up(name)
        assert isinstance(function, Function)
        assert function.__name__ == name
        assert f"{', '.join(signature(function).parameters)})" == NAMES[name]


@pytest.mark.parametrize("name", GONE)
def test_what_is_not_here_says_so_whatever_it_gets(name):
    for look_up in (lib.function, lambda text: getattr(lib, text), LibNn().function):
        with pytest.raises(ValueError, match=rf"^{name} of (lib_nn is not here|the XS3 unit has no "
                                             r"model): [^.]{20,}$"):
            look_up(name)(np.zeros(3), 4, job=5)


@pytest.mark.parametrize("name", ["VLMACC", "VLMACCR", "VLSAT", "VLASHR", "VLADD", "VLSUB",
                                  "VLMUL", "VDEPTH8", "VDEPTH16", "VLMACCR1", "VDEPTH1", "VPOS"])
def test_instructions_are_those_on_arrays(name):
    assert lib.function(name) is getattr(instructions, name.lower())
    assert getattr(lib, name) is lib.function(name)


@pytest.mark.parametrize("name", ["conv2d", "conv2d_deep_ex", "mli_krn_relu_fx8", "vlmacc"])
def test_other_names_are_no_functions(name):
    for look_up in (lib.function, LibNn().function, lambda text: getattr(LibNn(), text)):
        with pytest.raises(AttributeError, match=rf"^{name} is not a function of lib_nn$"):
            look_up(name)
    with pytest.raises(AttributeError, match=f"has no attribute {name}"):
        getattr(lib, name)


@pytest.mark.parametrize(("name", "modes"), [
    ("MIN", (-127, -32767, -2147483647)), ("MAX", (127, 32767, 2147483647)),
    ("EPV", (32, 16, 8)), ("EPV_LOG2", (5, 4, 3)), ("ACC_PERIOD", (16, 16, 8)),
    ("ACC_PERIOD_LOG2", (4, 4, 3)), ("ACC_SIZE", (32, 32, 40)), ("ACC_VR_BITS", (16, 16, 32)),
    ("ACC_VR_MASK", (0xffff, 0xffff, 0xffffffff)), ("VLMACC_ELMS", (16, 16, 8)),
    ("VLMACC_ELMS_LOG2", (4, 4, 3))])
def test_constants_of_the_unit(name, modes):
    for bits, value in zip((8, 16, 32), modes, strict=True):
        for module in (xs3, lib):
            assert getattr(module, f"VPU_INT{bits}_{name}") == value
    for bits in (8, 16, 32):  # Vectors and accumulators that the instructions take.
        lanes = getattr(xs3, f"VPU_INT{bits}_ACC_PERIOD")
        vector = np.full(getattr(xs3, f"VPU_INT{bits}_EPV"), getattr(xs3, f"VPU_INT{bits}_MIN"))
        assert instructions.vladd(vector, vector - 9, bits).tolist() == vector.tolist()
        assert instructions.vlmaccr(np.zeros(lanes), vector, vector, bits).shape == (lanes,)


def test_other_constants_are_not_there():
    assert (xs3.VPU_BIN_ACC_PERIOD, xs3.XS3_VPU_VREG_WIDTH_BYTES) == (16, 32)
    with pytest.raises(AttributeError, match="has no attribute VPU_INT64_MIN"):
        _ = xs3.VPU_INT64_MIN


def test_module_offers_constants_and_structures():
    assert (lib.CONV2D_DEEP_FLAG_SLICED_K, lib.MAXPOOL2D_FLAG_NONE) == (1, 0)
    assert lib.nn_conv2d_job_params_t is lib.nn_window_op_job_params_t
    assert lib.nn_window_params_t().stride == lib.nn_window_step_t(1, 1)
