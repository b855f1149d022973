# SPDX-License-Identifier: Apache-2.0
"""Calls of MLI that break a condition, on base in RTL: status, words and memory are golden's, in a
mode that checks conditions and in one that does not."""

from copy import deepcopy

import numpy as np
import pytest

from tests.golden.api.mli2 import test_conditions as mli2
from tests.support.calls import broken_mli1 as mli1
from xymac.golden.api.mli1.functions import Mli as Mli1
from xymac.golden.api.mli2.functions import Mli as Mli2
from xymac.golden.mli2 import Build
from xymac.host.api import on_device

MODES = ("DBG_MODE_RET_CODES", "DBG_MODE_RELEASE")


def memories(args):
    """Bytes of every memory that an argument of a call points to."""
    tensors = [tensor for value in args.values()
               for tensor in (value if isinstance(value, list) else [value])]
    arrays  = [getattr(getattr(getattr(tensor, "data", None), "mem", None), "memory", None)
               if not isinstance(getattr(tensor, "data", None), np.ndarray) else tensor.data
               for tensor in tensors]
    return [array.tobytes() for array in arrays if array is not None]


def call(library, name, args):
    """What a call returns or says, and the memory that it leaves."""
    try:
        outcome = library.function(name)(**args)
    except ValueError as error:
        outcome = str(error)
    return outcome, memories(args)


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("number", range(10))
def test_mli1(number, mode, rtl):
    libraries = Mli1(debug=mode), on_device(rtl("base"), Mli1, debug=mode)
    for name, path, value, _ in mli1.CASES[number::10]:
        golden, device = (call(library, name, mli1.broken(name, path, value))
                          for library in libraries)
        assert golden == device, (name, path, value)


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("number", range(10))
def test_mli2(number, mode, rtl):
    options   = {"build": Build.UP_FULL, "debug": mode}
    libraries = Mli2(**options), on_device(rtl("base"), Mli2, **options)
    for name, path, value, _, _ in mli2.CASES[number::10]:
        outcomes = []
        for library in libraries:
            args = mli2.call_of(name)
            mli2.put(args, path, value if callable(value) else deepcopy(value))
            outcomes.append(call(library, name, args))
        assert outcomes[0] == outcomes[1], (name, path, value)
