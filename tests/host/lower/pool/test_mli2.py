# SPDX-License-Identifier: Apache-2.0
"""Pooling kernels of MLI 2.0 as passes against the golden kernels."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.support.lowered import assert_equals_golden, assert_equals_golden_unless_refused, sizes
from tests.support.seed import examples, random_of
from tests.support.sizes import between, each_size
from tests.support.tensors import builds, elements, formats, quantised
from xymac import golden
from xymac.golden.mli2 import Affine, AvePool, Build, Element, Fixed, MaxPool, QuantTensor
from xymac.hdl.config import BASE
from xymac.hdl.isa import Scale
from xymac.host.device.device import MachineDevice
from xymac.host.plan.run import run_layer


@st.composite
def pools(draw):
    """A layer and its input."""
    kernel = tuple(draw(st.integers(1, 3)) for _ in range(2))
    pad    = tuple(draw(st.integers(0, size - 1)) for size in kernel for _ in range(2))
    rows   = max(draw(st.integers(1, 7)), kernel[0] - pad[0] - pad[1])
    cols   = max(draw(st.integers(1, 7)), kernel[1] - pad[2] - pad[3])
    stride = tuple(draw(st.integers(1, 3)) for _ in range(2))
    element = draw(elements)
    kind  = draw(st.sampled_from([AvePool, MaxPool]))
    more  = {"out": draw(st.one_of(st.none(), formats(element))),
             "build": draw(builds)} if kind is AvePool else {}
    shape = rows, cols, draw(st.integers(1, 19))
    return kind(kernel, stride, pad, **more), draw(quantised(shape, element,
                                                             draw(formats(element))))


@settings(max_examples=examples(150), **SETTINGS)
@given(sizes, pools())
def test_equals_golden(config, call):
    assert_equals_golden_unless_refused(config, *call)


@each_size
@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("value", [-128, -1, 127])
def test_windows_of_every_size(config, build, value):
    """Padding of all but one element: counts from 1 to 25, and the ends of the container."""
    data = np.full((7, 6, 3), value, np.int8)
    for x in (QuantTensor(data, Element.SA_8, Affine(-77, 23066, 14)),
              QuantTensor(data, Element.FX_8, Fixed(3))):
        assert_equals_golden(config, AvePool((5, 5), (1, 1), (4, 4, 0, 0), build=build), x)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("drop", [*range(-3, 4), 10, 20, 24, 30, 40])
def test_rounding_that_saturates(build, drop):
    """Sums near 2**31 - 1 to which the library cannot add the half."""
    x = QuantTensor(np.full((32, 32, 2), 127, np.int8), Element.FX_8, Fixed(100))
    for kernel in ((32, 32), (1, 1)):
        layer = AvePool(kernel, (1, 1), out=Fixed(100 - drop), build=build)
        assert_equals_golden(BASE, layer, x)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("drop", [-3, 0, 5])
def test_means_of_more_than_1024_elements(build, drop):
    x = QuantTensor(random_of(2).integers(-32768, 32767, (40, 60, 3), np.int16),
                    Element.FX_16, Fixed(8))
    x.data[:, :, 0] = 32767
    layer = AvePool((40, 60), (1, 1), out=Fixed(8 - drop), build=build)

    with MachineDevice(BASE) as device:
        run = run_layer(device, layer, x)

    assert run.output == golden.run(layer, x).output
    assert run.overflow == golden.run(layer, x).overflow
    assert [pass_.epilogue.scale for pass_ in run.plan.program] == [Scale.NONE, Scale.BITS32]


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("value", [-32768, 0, 32767])
def test_means_whose_exact_sum_leaves_40_bits(build, value):
    """Their output is not wrapped; the flag is that of the library on a core."""
    x = QuantTensor(np.full((33, 32, 5), value, np.int16), Element.FX_16, Fixed(8))
    x.data[:, :, 1] = 100
    layer = AvePool((33, 32), (1, 1), build=build)

    assert golden.run(layer, x).overflow == (value != 0)
    assert_equals_golden(BASE, layer, x)




@each_size
@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("shift", [-9, 0, 3, 9, 20])
def test_sums_of_more_than_1024_elements_wrap(config, build, shift):
    """Constant channels at both ends and beyond what wraps, and noise, on a padded image."""
    rng  = random_of(shift + 9)
    data = rng.integers(-128, 128, (34, 33, 11), np.int8)
    for channel, value in enumerate((-128, 127, 64, -65, 63)):
        data[:, :, channel] = value
    x     = QuantTensor(data, Element.FX_8, Fixed(30))
    layer = AvePool((34, 32), (1, 1), (1, 0, 0, 1), out=Fixed(30 - shift), build=build)

    assert golden.run(layer, x).overflow
    assert_equals_golden(config, layer, x)
    one = replace(layer, kernel=(35, 34))
    assert_equals_golden(config, one, replace(x, data=x.data[..., :3].copy()))


@each_size
@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize(("zero", "frac_bits"), [
    (9, 60), between(-128, 45), between(9, 20), (127, 35)])
def test_sums_that_begin_near_the_limit_wrap(config, build, zero, frac_bits):
    """The zero points are in the start of the sum; windows of every count on the padding."""
    x = QuantTensor(random_of(frac_bits).integers(-128, 128, (7, 6, 21), np.int8), Element.SA_8,
                    Affine(zero, 20000, frac_bits))
    layer = AvePool((4, 3), (2, 1), (3, 1, 2, 1), out=Affine(-zero - 1, 20000, 10), build=build)

    assert_equals_golden(config, layer, x)
