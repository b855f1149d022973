# SPDX-License-Identifier: Apache-2.0
"""Random inputs for lowered layers, and the comparison with the golden kernels."""

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from tests.support.seed import random_of
from xymac import golden
from xymac.golden.mli1 import Tensor
from xymac.hdl.config import CORES
from xymac.host.device.device import MachineDevice
from xymac.host.errors import Refusal
from xymac.host.plan.graph import Node
from xymac.host.plan.run import run_layer
from xymac.host.plan.tiling.tiled import make_plan

from .rtl_device import fill

sizes  = st.sampled_from(list(CORES.values()))
dtypes = st.sampled_from([np.int8, np.int16])
#: Mostly within the container, often beyond.
fracs  = st.one_of(st.integers(0, 16), st.integers(0, 255))
shapes = st.lists(st.integers(1, 7), max_size=4).map(tuple)


def noise(rng, shape, dtype, frac_bits, peak=None):
    """Random Tensor whose elements reach both ends of the container, or ``peak``."""
    limits = np.iinfo(dtype)
    low, high = (limits.min, limits.max) if peak is None else (-peak, peak)
    return Tensor(rng.integers(low, high, shape, dtype, endpoint=True), frac_bits)


@st.composite
def tensors(draw, shape=shapes, dtype=dtypes, frac_bits=fracs):
    """A random Tensor; arguments are strategies."""
    rng = random_of(draw(st.integers(0, 999)))
    return noise(rng, draw(shape), draw(dtype), draw(frac_bits))


def assert_equals_golden(config, layer, *inputs):
    """Run on the golden machine, its memories full of noise; output, overflow and new state must be
    those of the golden kernel."""
    expected = golden.run(layer, *inputs)
    with MachineDevice(config) as device:
        fill(device, seed=1)
        actual = run_layer(device, layer, *inputs)
    assert actual.output == expected.output
    assert actual.overflow == expected.overflow
    assert actual.cell == expected.cell
    return actual


def assert_plan(config, layers, x, keep=None):
    """On the golden machine, every output that the plan keeps, every flag and every new state is
    the golden one; ``layers`` follow one another or are Nodes. Returns what ``make_plan`` does."""
    plan, values, results = make_plan(config, layers, x, keep=keep), [x], []
    nodes = layers if isinstance(layers[0], Node) else [
        Node(layer, (index,)) for index, layer in enumerate(layers)]
    for node in nodes:
        results.append(golden.run(node.layer, *(values[number] for number in node.sources)))
        values.append(results[-1].output)

    with MachineDevice(config) as device:
        fill(device, seed=1)
        plan.load(device)
        run = plan.run(device, x)

    assert run.output == values[-1]
    assert all(output in (None, value)
               for output, value in zip(run.outputs, values[1:], strict=True))
    assert not plan.keeps_all or None not in run.outputs
    assert run.overflows == tuple(result.overflow for result in results)
    assert run.cells == tuple(result.cell for result in results)
    return plan


def assert_equals_golden_unless_refused(config, layer, *inputs):
    """The same; hypothesis looks for another example where there are no exact passes, and fails if
    it hardly finds one."""
    try:
        assert_equals_golden(config, layer, *inputs)
    except Refusal as refusal:
        if not refusal.kind.needs_golden:
            raise
        reject()
