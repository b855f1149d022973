# SPDX-License-Identifier: Apache-2.0
"""The MLI functions by name, run as passes on the golden machine."""

import numpy as np
import pytest

from tests.support.calls.mli1 import (
    NAMES,
    arguments,
    assert_holds,
    expected,
    leaky_arguments,
    params,
    tensor,
)
from tests.support.seed import random_of
from xymac.golden.api.mli1.configs import mli_status
from xymac.golden.api.mli1.names import parse
from xymac.hdl.config import BASE, TINY
from xymac.host.api import on_device
from xymac.host.device.device import MachineDevice
from xymac.host.errors import Refusal

KERNELS = [name for name in NAMES if parse(name).exists and "mli_krn" in name]


@pytest.fixture(scope="module")
def device():
    with MachineDevice(BASE) as opened:
        yield opened


@pytest.mark.parametrize("name", [*KERNELS, "mli_hlp_convert_tensor",
                                  "mli_krn_avepool_hwc_fx8_k3x2"])
def test_a_device_returns_what_golden_does(name, device):
    args   = arguments(name, random_of(7), kernel=(2, 3))
    result = expected(name, args)

    assert on_device(device).function(name)(**args) is mli_status.MLI_STATUS_OK
    assert_holds(args["out"], result)
    if result.cell is not None:
        np.testing.assert_array_equal(args["cell"].data, result.cell.data)


@pytest.mark.parametrize(("kind", "slope", "by_library", "documented"), [
    ("fx16", 8192, [-100, 0, 25], [-25, 0, 100]), ("fx8", 127, [-100, 0, 0], [0, 0, 100])])
def test_leaky_relu_by_the_library_and_as_documented(kind, slope, by_library, documented, device):
    args = leaky_arguments(kind, slope, 15)
    leaky_relu = on_device(device).function(f"mli_krn_leaky_relu_{kind}")

    assert leaky_relu(*args) is mli_status.MLI_STATUS_OK
    assert args[-1].data.tolist() == by_library
    assert leaky_relu(*args, documented=True) is mli_status.MLI_STATUS_OK
    assert args[-1].data.tolist() == documented


def test_conditions_are_checked_before_the_device(device):
    args = arguments("mli_krn_relu_fx8", random_of(7))
    args["out"].data = args["out"].data[:3]

    library = on_device(device, debug="DBG_MODE_RET_CODES")

    assert library.mli_krn_relu_fx8(**args) is mli_status.MLI_STATUS_NOT_ENGH_MEM


def test_what_does_not_fit_the_device_is_refused():
    x = tensor(random_of(7), (17000,), 4, np.int8)
    out = tensor(random_of(7), (17000,), 4, np.int8)
    out.el_params = params(4)

    with MachineDevice(TINY) as device, pytest.raises(ValueError, match="17000 bytes of X memory"):
        on_device(device).mli_krn_softmax_fx8(x, out)
    assert issubclass(Refusal, ValueError)
