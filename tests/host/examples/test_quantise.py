# SPDX-License-Identifier: Apache-2.0
"""Choice of fractional bits, and rounding."""

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.host.examples.quantise import choose_frac_bits, quantise


@pytest.mark.parametrize(("peak", "frac_bits"), [
    (0.0, 15), (0.99, 7), (1.0, 6), (0.4, 8), (-1.0, 6), (126.9, 0), (127.4, 0), (3.99, 4)])
def test_frac_bits_are_the_most_that_fit(peak, frac_bits):
    assert choose_frac_bits([0.0, peak]) == frac_bits


def test_frac_bits_respect_the_limit():
    assert choose_frac_bits([0.001], limit=5) == 5


def test_refuses_values_that_do_not_fit():
    with pytest.raises(ValueError, match=r"^Values must be within 127 to fit 8 bits, not 127\.5$"):
        choose_frac_bits([127.5])


@pytest.mark.parametrize(("bits", "dtype"), [(8, np.int8), (16, np.int16)])
def test_values_round_to_the_nearest(bits, dtype):
    rng = random_of(bits)
    values = rng.normal(size=500)

    tensor = quantise(values, bits=bits)

    assert tensor.data.dtype == dtype
    assert np.max(np.abs(tensor.data / 2.0 ** tensor.frac_bits - values)) <= 0.5 ** (
        tensor.frac_bits + 1)


def test_halves_go_to_even():
    assert quantise([64.0, 2.5, 3.5, -2.5, -3.5], limit=0).data.tolist() == [64, 2, 4, -2, -4]
