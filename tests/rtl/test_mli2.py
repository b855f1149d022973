# SPDX-License-Identifier: Apache-2.0
"""Kernels of MLI 2.0 three ways, as ``test_layers``: groups of channels, and sums that wrap."""

import numpy as np
import pytest

from tests.host.lower.linear.test_dilation import KINDS, TYPES, input_of, layer_of
from tests.host.lower.linear.test_groups import group_conv
from tests.host.lower.saturating.test_mli2 import matrix
from tests.rtl.test_layers import assert_three_ways
from tests.rtl.test_lowered import assert_equal
from tests.support.seed import random_of
from tests.support.sizes import each_name
from xymac.golden import mli2
from xymac.golden.mli2 import AvePool, Build, Element, Fixed, QuantTensor


@each_name
@pytest.mark.parametrize(("held", "outputs", "groups"), [
    (8, 8, 4), (4, 4, 8), (2, 2, 16), (3, 5, 3), (1, 2, 7), (4, 8, 4)])
def test_groups_of_channels(size, held, outputs, groups, rtl):
    for seed, options in enumerate(({"pad": (1, 2, 1, 0)}, {"stride": (2, 1)}, {"dilation": (1, 2)},
                                    {"relu": mli2.Relu.GEN, "build": Build.CONVERGENT_FULL})):
        assert_three_ways(rtl(size), *group_conv((3, 2), held, outputs, groups, seed, **options))


@each_name
@pytest.mark.parametrize("shift", [0, 16, 31])
def test_sums_that_wrap(size, shift, rtl):
    assert_equal(rtl(size), *matrix(shift, inputs=700, outputs=37, shift=shift))


@each_name
def test_means_that_wrap(size, rtl):
    data = random_of(4).integers(-128, 128, (33, 32, 11), np.int8)
    data[..., 0], data[..., 1] = -128, 127
    x = QuantTensor(data, Element.FX_8, Fixed(30))

    assert_equal(rtl(size), AvePool((33, 32), (1, 1), out=Fixed(24)), x)


@each_name
@pytest.mark.parametrize("kind", KINDS)
def test_windows_without_a_tap_on_the_image(size, kind, rtl):
    types, rng = list(TYPES)[KINDS.index(kind)], random_of(7)
    layer = layer_of(kind, types, rng, (2, 3), 8, dilation=(4, 5), pad=(4, 3, 5, 4), stride=(1, 2))
    assert_three_ways(rtl(size), layer, input_of(types, rng, (2, 4, 8)))
