"""Dense kernels of MLI 2.0 recurrent cells as passes against the golden kernels and the library."""

from dataclasses import replace

import numpy as np
import pytest

from golden.mli2 import Affine, Fixed
from hdl.config import SIZES, SMALL
from host.lower.refuse import NoPassesError
from host.plan.plan import Plan
from tests.support.gate_layers import KINDS, random_dense
from tests.support.lowered import assert_equals_golden


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(20))
def test_dense(seed, kind):
    layer, *xs = random_dense(seed, kind, 1 + 5 * seed)
    assert_equals_golden(list(SIZES.values())[seed % 3], layer, *xs)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fine", [False, True])
def test_outputs_that_saturate(kind, fine):
    """Sums of both inputs far beyond 16 bits that may cancel, or all but nothing."""
    layer, *xs = random_dense(np.random.default_rng(5), kind, 30)  # larger sums are refused
    out = Fixed(20 if fine else 2) if kind != "sa8" else Affine(3, 20000, 25 if fine else 15)
    assert_equals_golden(SMALL, replace(layer, out=out), *xs)


@pytest.mark.parametrize("zero", [-128, 7])
def test_zero_points_of_weights(zero):
    layer, *xs = random_dense(1, "sa8", 9, zero=zero)
    assert_equals_golden(SMALL, layer, *xs)


def test_refused_sums():
    layer, *xs = random_dense(1, "sa8", 9)
    with pytest.raises(NoPassesError, match=r"^Of the scaled sums of the inputs all but one must "):
        Plan(SMALL, [replace(layer, out=Affine(0, 1 << 14, 33))], *xs)
