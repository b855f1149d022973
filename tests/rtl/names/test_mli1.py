# SPDX-License-Identifier: Apache-2.0
"""Every function of MLI 1.x by its name on base in RTL: memory afterwards is what golden leaves."""

from copy import deepcopy

import pytest

from tests.support.calls.mli1 import NAMES, arguments
from tests.support.seed import random_of
from xymac.golden.api.mli1.configs import mli_status
from xymac.golden.api.mli1.functions import Mli
from xymac.golden.api.mli1.names import HELPERS, parse
from xymac.golden.api.mli1.types import mli_tensor
from xymac.hdl.isa import RoundMode
from xymac.host.api import on_device

#: Functions that no kernel stands for: numbers, and parts that share memory.
PLAIN = [name for name in NAMES if parse(name).primitive in HELPERS
         and "convert_tensor" not in name]
MODES = [{"rounding": rounding, "debug": "DBG_MODE_RET_CODES"}
         for rounding in (RoundMode.CONVERGENT, RoundMode.UP)]


def call_of(name, number):
    """Arguments of a legal call; windows are as the name promises."""
    spec   = parse(name).spec
    kernel = spec.kernel_height or 2 + number % 2, spec.kernel_width or 3 - number % 2
    stride = spec.stride_height or 1 + number % 2, spec.stride_width or 1
    return arguments(name, random_of([number, *name.encode()]), kernel=kernel, stride=stride,
                     pad=(number % 2, 0, 0, 1))


def memories(args):
    """Bytes of the memory of every tensor of a call."""
    tensors = [tensor for value in args.values()
               for tensor in (value if isinstance(value, list) else [value])
               if isinstance(tensor, mli_tensor)]
    return [tensor.data.tobytes() for tensor in tensors]


def call(device, name, number):
    """Call a function on golden and on a device."""
    args = call_of(name, number)
    pair = args, deepcopy(args)
    mode = MODES[number % 2]
    returned = [library.function(name)(**each) for library, each in zip(
        (Mli(**mode), on_device(device, **mode)), pair, strict=True)]
    assert returned[0] == returned[1]
    assert name in PLAIN or returned[0] is mli_status.MLI_STATUS_OK
    assert memories(pair[0]) == memories(pair[1]), name


def test_all_names_are_there():
    assert len(NAMES) == 74
    assert len(PLAIN) == 3


@pytest.mark.parametrize("name", NAMES)
def test_memory_is_what_golden_leaves(name, rtl):
    call(rtl("base"), name, 0)


@pytest.mark.long
@pytest.mark.parametrize("size", ["base", "small", "tiny"])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in PLAIN])
def test_every_rounding_and_window(name, size, rtl):
    for number in range(1, 5):
        call(rtl(size), name, number)
