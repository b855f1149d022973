# SPDX-License-Identifier: Apache-2.0
"""Pooling as passes against the golden kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS, roundings
from tests.support.lowered import assert_equals_golden, dtypes, noise, sizes
from tests.support.seed import examples, random_of
from tests.support.sizes import each_size
from xymac.golden.mli1 import AvePool, Layout, MaxPool, Tensor
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Op, RoundMode
from xymac.host.device.device import MachineDevice
from xymac.host.plan.plan import Plan
from xymac.host.plan.run import run_layer


@st.composite
def pools(draw, kernel_max=4):
    """A layer and its input."""
    rng    = random_of(draw(st.integers(0, 999)))
    layout = draw(st.sampled_from(Layout))
    kernel = tuple(draw(st.integers(1, kernel_max)) for _ in range(2))
    pad    = tuple(draw(st.integers(0, size - 1)) for size in kernel for _ in range(2))
    rows   = max(draw(st.integers(1, 9)), kernel[0] - pad[0] - pad[1])
    cols   = max(draw(st.integers(1, 9)), kernel[1] - pad[2] - pad[3])
    stride = tuple(draw(st.integers(1, 3)) for _ in range(2))
    channels = draw(st.integers(1, 19))
    kind  = draw(st.sampled_from([AvePool, MaxPool]))
    more  = {"rounding": draw(roundings)} if kind is AvePool else {}
    shape = (channels, rows, cols) if layout is Layout.CHW else (rows, cols, channels)
    return kind(kernel, stride, pad, layout, **more), noise(rng, shape, draw(dtypes), 7)


@settings(max_examples=examples(300), **SETTINGS)
@given(sizes.filter(lambda config: config is not TINY), pools())
def test_equals_golden(config, call):
    assert_equals_golden(config, *call)


@settings(max_examples=examples(100), **SETTINGS)
@given(pools(kernel_max=3))
def test_equals_golden_on_tiny(call):
    assert_equals_golden(TINY, *call)


@each_size
@pytest.mark.parametrize("kind", [AvePool, MaxPool])
@pytest.mark.parametrize("value", [-32768, -1, 32767])
def test_windows_of_every_size(config, kind, value):
    """Padding of all but one element: counts from 1 to 25, and the ends of the container."""
    x = Tensor(np.full((3, 7, 6), value, np.int16), 3)
    assert_equals_golden(config, kind((5, 5), (1, 1), (4, 4, 0, 0)), x)
    assert_equals_golden(config, kind((7, 6), (1, 1)), x)


def test_a_sum_that_leaves_the_accumulator():
    """Only means of more than 1024 elements can: the flag is that of the golden kernel."""
    x = Tensor(np.full((1, 40, 60), -32768, np.int16), 3)
    assert assert_equals_golden(BASE, AvePool((40, 60), (1, 1)), x).overflow


@pytest.mark.parametrize(("pad", "count"), [
    ((0, 0, 0, 0), 1), ((2, 2, 2, 2), 11), ((0, 2, 0, 2), 5)])
def test_neighbours_with_one_shift_share_a_pass(pad, count):
    """5x5: rows of 3, 4 and 5 valid taps have means of 9 .. 15, 12 .. 20 and 15 .. 25."""
    x = noise(random_of(1), (4, 12, 12), np.int8, 3)
    run = assert_equals_golden(BASE, AvePool((5, 5), (1, 1), pad, rounding=RoundMode.UP), x)
    assert len(run.plan.program) == count


def test_a_maximum_is_one_pass_that_the_border_clips():
    x = noise(random_of(1), (16, 9, 9), np.int8, 3)
    [pass_] = assert_equals_golden(BASE, MaxPool((3, 3), (2, 2), (1, 1, 1, 1)), x).plan.program
    assert pass_.accumulate.op is Op.MAX
    assert (pass_.loop.outer, pass_.loop.taps) == ((1, 5, 5), (3, 3, 1))
    assert (pass_.loop.rows.pad, pass_.loop.rows.step, pass_.loop.rows.size) == (1, 2, 9)


@pytest.mark.parametrize(("layers", "shape", "message"), [
    ([MaxPool((1, 1), (1, 1))], (1, 99, 99),
     r"^Layer 0 \(MaxPool\): its output needs 9808 bytes of X memory"),
])
def test_refuses_what_does_not_fit(layers, shape, message):
    x = Tensor(np.zeros(shape, np.int8), 0)
    with pytest.raises(ValueError, match=message):
        Plan(TINY, layers, x)


def test_refuses_what_the_kernel_refuses():
    with MachineDevice(TINY) as device, pytest.raises(ValueError, match="Kernel has 4 rows, the"):
        run_layer(device, MaxPool((4, 1), (1, 1)), Tensor(np.zeros((1, 3, 3), np.int8), 0))
