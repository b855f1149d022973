# SPDX-License-Identifier: Apache-2.0
"""Softmax where X has no room for an output beside the input: the output takes its place."""

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from xymac.golden import mli1, mli2
from xymac.golden.mli2 import Element, Fixed, QuantTensor
from xymac.hdl.config import TINY
from xymac.host.plan.plan import Plan

COUNT = 4500  #: 9,000 bytes of the 16,384 of X.
DATA  = random_of(6).integers(-1 << 15, 1 << 15, COUNT).astype(np.int16)
FIXED = QuantTensor(DATA, Element.FX_16, Fixed(10))


@pytest.mark.parametrize(("layer", "x"), [(mli1.Softmax(), mli1.Tensor(DATA, 11)),
                                          (mli2.Softmax(), FIXED)])
def test_the_output_takes_the_place_of_its_input(layer, x):
    plan = Plan(TINY, [layer], x)
    assert plan.source.row == plan.target.row
    assert_equals_golden(TINY, layer, x)
