# SPDX-License-Identifier: Apache-2.0
"""Scales of matrices: calls built here, which read no vectors."""

import numpy as np
import pytest

from tests.support.broken import axis
from tests.support.calls.mli2 import CHECKED, sa
from xymac.golden.api.mli2.configs import mli_fully_connected_cfg
from xymac.golden.api.mli2.memory import read
from xymac.golden.api.mli2.types import mli_tensor
from xymac.golden.mli2 import Build

LIBRARY = CHECKED[Build.UP_FULL]
WEIGHTS = np.arange(12, dtype=np.int8).reshape(4, 3) - 5
ALONG   = {"scale_frac_bits": (2,) * 3}


@pytest.mark.parametrize(("weights", "bias", "status"), [
    (sa(0, 1, 2), sa(0, 1, 6), "OK"),
    (axis(1, 3, **ALONG), axis(0, 3, scale_frac_bits=(6,) * 3), "OK"),
    (axis(0, 4, scale_frac_bits=(2,) * 4), axis(0, 3, scale_frac_bits=(6,) * 3),
     "INCOMPATEBLE_TENSORS"),
    (axis(1, 3, **ALONG), sa(0, 1, 6), "INCOMPATEBLE_TENSORS")])
def test_a_matrix_has_one_scale_or_one_an_output(weights, bias, status):
    x    = mli_tensor(np.array([9, -1, 4, 3], np.int8), el_params=sa(3, 1, 4))
    rows = mli_tensor(WEIGHTS, el_params=weights)
    add  = mli_tensor(np.array([64, -64, 7], np.int32), el_params=bias)
    out  = mli_tensor(np.zeros(3, np.int8), el_params=sa(-5, 1, 4))

    found = LIBRARY.mli_krn_fully_connected_sa8_sa8_sa32(
        x, rows, add, mli_fully_connected_cfg(), out)

    assert found.name == f"MLI_STATUS_{status}"
    if status == "OK":
        sums = (np.array([6, -4, 1, 0]) @ WEIGHTS.astype(int) + [64, -64, 7]) / 4
        assert read(out).tolist() == [int(np.floor(each + 0.5)) - 5 for each in sums]
