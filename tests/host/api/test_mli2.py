"""The functions of MLI 2.0 by name, run as passes on the golden machine."""

from functools import cache

import numpy as np
import pytest

from golden.api.mli2.functions import Mli
from golden.api.mli2.memory import read, write
from golden.mli2 import Build
from hdl.config import BASE
from host.api import on_device
from host.device.device import MachineDevice
from host.lower.refuse import NoPassesError
from host.vectors.files import read_arrays, read_cases
from tests.support.calls.mli2 import OK, VECTORS, arguments, destination
from tests.support.seed import random_of

CASES  = read_cases(VECTORS)
BUILDS = tuple(Build)


@pytest.fixture(scope="module")
def device():
    with MachineDevice(BASE) as opened:
        yield opened


@cache
def case_of(function):
    return next(case for case in CASES if case.function == function)


def check(library, build, case, rng):
    """Call the function of a case with strided tensors; the output and all that is around it."""
    arrays = read_arrays(case)
    wanted = {key: arrays[name] for key, name in case.expected[build.value].items()}
    args   = arguments(case, arrays, rng)
    args["out"], buffer, part = destination(case, wanted["out"], rng)
    expected = buffer.copy()
    expected[part] = wanted["out"]
    cell = read(args["cell"]).copy() if "cell" in args else None

    assert library.function(case.function)(**args) is OK

    np.testing.assert_array_equal(buffer, expected)
    if "cell" in wanted:
        np.testing.assert_array_equal(read(args["cell"]), wanted["cell"])
        write(args["cell"], cell)


@pytest.mark.parametrize("function", sorted({case.function for case in CASES
                                             if "argmax" not in case.function}))
def test_a_device_takes_strided_tensors_and_leaves_what_is_between(function, device):
    build = BUILDS[len(function) % len(BUILDS)]
    library = on_device(device, Mli, build=build, debug="DBG_MODE_RET_CODES")

    check(library, build, case_of(function), random_of(len(function)))


def test_what_has_no_passes_is_refused_and_nothing_is_written():
    case   = case_of("mli_krn_relu_sa8")
    args   = arguments(case, read_arrays(case))
    args["out"], buffer, _ = destination(case, read_arrays(case)[case.expected["up-full"]["out"]])
    before = buffer.copy()

    def refuse(*operands):
        raise NoPassesError("There are no passes")

    with pytest.raises(ValueError, match=r"^mli_krn_relu_sa8: There are no passes$"):
        Mli(evaluate=refuse).mli_krn_relu_sa8(**args)
    np.testing.assert_array_equal(buffer, before)
