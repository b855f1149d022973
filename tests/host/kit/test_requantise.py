# SPDX-License-Identifier: Apache-2.0
"""A requantiser of every library: single sums by hand, and what is refused."""

import numpy as np
import pytest

from xymac.golden.mli2 import Build
from xymac.hdl.isa import RoundMode
from xymac.host.kit.requantise import Requantise

HALF = 1 << 30  #: Of tflm: one half in Q0.31.


@pytest.mark.parametrize(("unit", "sums", "wanted"), [
    (Requantise("tflm", (HALF,), (-1,)), [2, -2, 6, -6, 4], [1, -1, 2, -2, 1]),
    (Requantise("tflm", (HALF,), (-1,), zero_point=3, low=3, high=4), [-9, 2, 400], [3, 4, 4]),
    (Requantise("tflm", (HALF,), (1,), bits=16, low=-32768, high=32767), [40000], [32767]),
    (Requantise("mli-1", (1,), (2,)), [2, 6, -2, -6, 4000], [0, 2, 0, -2, 127]),
    (Requantise("mli-1", (1,), (2,), rounding=RoundMode.UP), [2, 6, -2, -6], [1, 2, 0, -1]),
    (Requantise("mli-2", (1 << 30,), (31,), 5), [2, 3, -3, 4000], [6, 7, 4, 127]),
    (Requantise("mli-2", (1 << 14,), (15,), 5, build=Build.CONVERGENT_FULL), [1, 3], [5, 7]),
    (Requantise("xs3", (1 << 14,), (14,), early=(1,), addend=(1 << 13,)), [1, 2], [2, 2])])
def test_single_sums(unit, sums, wanted):
    out = unit.run(np.array(sums, np.int32)[:, np.newaxis])
    assert out.dtype == np.dtype(f"int{unit.bits}")
    assert out[:, 0].tolist() == wanted


def test_parameters_of_each_channel():
    unit = Requantise("tflm", (HALF, HALF), (0, -2))
    assert unit.run(np.array([[16, 16], [-16, -16]], np.int32)).tolist() == [[8, 2], [-8, -2]]


@pytest.mark.parametrize(("fields", "message"), [
    ({"dialect": "onnx"}, "dialect must be one of mli-1, mli-2, tflm, xs3, not 'onnx'"),
    ({"bits": 4}, "bits must be 8 or 16, not 4"),
    ({"low": 5, "high": 4}, "low and high must be within -128 and 127, in order, not 5 and 4"),
    ({"high": 128}, "low and high must be within -128 and 127"),
    ({"shift": (1, 2)}, "There are 1 multipliers, but 2 shifts"),
    ({"shift": (-32,)}, "Shifts of tflm must be between -31 and 30, not -32"),
    ({"dialect": "mli-1", "multiplier": (1,), "zero_point": 1},
     "Zero point of mli-1 must be 0, not 1"),
    ({"dialect": "mli-1"}, "Multipliers of mli-1 must be 1")])
def test_refusals(fields, message):
    with pytest.raises(ValueError, match=message):
        Requantise(**{"dialect": "tflm", "multiplier": (HALF,), "shift": (0,)} | fields)
