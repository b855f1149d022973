# SPDX-License-Identifier: Apache-2.0
"""The functions of lib_nn by name, run as passes on the golden machine and in RTL."""

from functools import cache

import numpy as np
import pytest

from tests.support.calls.lib_nn import VECTORS, names_of, run_case
from tests.support.seed import random_of
from xymac.golden.api.xs3 import functions as lib
from xymac.golden.api.xs3.functions import LibNn
from xymac.golden.api.xs3.prototypes import SYMMETRIC
from xymac.hdl.config import BASE, TINY
from xymac.host.api import on_device
from xymac.host.device.device import MachineDevice
from xymac.host.vectors.files import read_arrays, read_cases

CASES = read_cases(VECTORS)
NAMES = sorted({name for case in CASES for name in names_of(case)})


@pytest.fixture(scope="module")
def machine():
    with MachineDevice(BASE) as opened:
        yield opened


@cache
def cases_of(name):
    """Cases of a function, the smallest one first."""
    cases = [case for case in CASES if name in names_of(case)]
    return sorted(cases, key=lambda case: sum(array.size for array in read_arrays(case).values()))


def check(device, name, cases):
    for number, case in enumerate(cases):
        run_case(on_device(device, LibNn), case, read_arrays(case), random_of(number))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_runs_on_the_machine(name, machine):
    check(machine, name, cases_of(name)[::4])


@pytest.mark.parametrize("name", NAMES)
def test_every_name_runs_in_rtl(name, rtl):
    check(rtl("base"), name, cases_of(name)[1:3])


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_every_vector_runs_by_its_name_in_rtl(name, rtl):
    check(rtl("base"), name, cases_of(name))


class Counted(MachineDevice):
    """A machine that counts its programs."""

    programs = 0

    def run(self, *args, **kwargs):
        self.programs += 1
        return super().run(*args, **kwargs)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_device_that_computes(name):
    with Counted(BASE) as device:
        check(device, name, cases_of(name)[:1])

        assert device.programs == 1


def test_a_part_runs_on_a_device(machine):
    rng = random_of(3)
    x, table = rng.integers(0, 256, 200, np.uint8), rng.integers(0, 256, 256, np.uint8)
    out = np.zeros(200, np.uint8)

    on_device(machine, LibNn).lookup8(out, x, table, 33, 100)

    np.testing.assert_array_equal(out[33:133], table[x[33:133]])
    assert not out[:33].any()
    assert not out[133:].any()


@pytest.mark.parametrize("operator", SYMMETRIC)
def test_the_build_of_the_library_counts_on_a_device(operator, machine):
    cases = [case for case in cases_of(operator) if -128 in read_arrays(case)[
        case.expected["symmetric-saturation"]["Y"]]]
    library = on_device(machine, LibNn, symmetric=[operator])

    for case in cases[:2]:
        run_case(library, case, read_arrays(case), random_of(5), lowest=-127)
    assert cases


def test_what_does_not_fit_is_refused_and_nothing_is_written():
    rows  = lib.nn_image_params_t(1, 40, 512)
    out   = np.full((1, 1, 4), 7, np.int8)
    wide  = lib.nn_window_params_t(lib.nn_window_shape_t(1, 40))
    zeros = np.zeros((4, 1, 40, 512), np.int8)

    with MachineDevice(TINY) as device, pytest.raises(ValueError, match=r"^conv2d_deep: .*bytes"):
        on_device(device, LibNn).conv2d_deep(
            out, np.zeros((1, 40, 512), np.int8), zeros, np.zeros((1, 7, 16), np.int16), 0, rows,
            lib.nn_image_params_t(1, 1, 4), wide)
    assert (out == 7).all()
