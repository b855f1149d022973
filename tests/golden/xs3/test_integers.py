# SPDX-License-Identifier: Apache-2.0
"""Integers of the XS3 library: what they are made of, and when they are equal."""

import numpy as np
import pytest

from xymac.golden.xs3 import Integers


def test_integers_compare_values_and_type():
    ones = Integers(np.ones(3, np.int8))
    assert ones == Integers(np.ones(3, np.int8))
    assert ones != Integers(np.ones(3, np.uint8))
    assert ones != Integers(np.zeros(3, np.int8))
    assert ones != "ones"
    assert (ones.bits, ones.shape) == (8, (3,))


def test_integers_must_have_a_type_of_the_library():
    with pytest.raises(TypeError, match=r"^Integers must be a numpy array of int8, uint8, int16, "
                                        r"uint16, int32, not float64$"):
        Integers(np.zeros(3))
