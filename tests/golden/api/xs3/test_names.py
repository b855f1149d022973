"""Names of lib_nn: every one can be looked up, and what is not here says so in a sentence."""

from inspect import signature
from pathlib import Path

import numpy as np
import pytest

from golden.api.xs3 import functions as lib
from golden.api.xs3.absent import ABSENT_FUNCTIONS, ABSENT_INSTRUCTIONS
from golden.api.xs3.functions import Function, LibNn
from golden.api.xs3.prototypes import PROTOTYPES
from golden.xs3 import instructions

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
                                  "VLMUL", "VDEPTH8", "VDEPTH16"])
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


def test_module_offers_constants_and_structures():
    assert (lib.CONV2D_DEEP_FLAG_SLICED_K, lib.MAXPOOL2D_FLAG_NONE) == (1, 0)
    assert lib.nn_conv2d_job_params_t is lib.nn_window_op_job_params_t
    assert lib.nn_window_params_t().stride == lib.nn_window_step_t(1, 1)
