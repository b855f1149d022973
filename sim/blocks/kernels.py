# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.axi.CoreAxi: whole kernels run by the host code, every word over the bus.

Plusargs: ``size``; ``kernels``, comma-separated names in ``KERNELS``; ``pauses``, percent.
"""

import cocotb
import numpy as np

from xymac import golden
from xymac.golden import mli1, mli2
from xymac.hdl.config import find_size
from xymac.hdl.isa import COUNTERS, Memory, State, Status
from xymac.host.plan.plan import Plan
from xymac.host.plan.tiling.tiled import make_plan
from xymac.sim.agents.bus_device import BusDevice
from xymac.sim.agents.stream import start
from xymac.sim.benchmarks.quantised import affine_conv, deep_conv

__all__ = ["KERNELS"]


def _tensor(rng, *shape, dtype=np.int8, frac_bits=6):
    limits = np.iinfo(dtype)
    return mli1.Tensor(rng.integers(limits.min, limits.max, shape, dtype, endpoint=True),
                       frac_bits)


def _cnn(rng):
    """MLI 1.x network with a softmax."""
    layers = [mli1.Conv2d(_tensor(rng, 5, 3, 3, 3), _tensor(rng, 5), 4, pad=(1, 1, 1, 1),
                          relu=mli1.Relu.GEN),
              mli1.MaxPool((2, 2), (2, 2)),
              mli1.FullyConnected(_tensor(rng, 7, 45), _tensor(rng, 7), 3), mli1.Softmax()]
    return layers, _tensor(rng, 3, 6, 6)


def _lstm(rng):
    """MLI 1.x LSTM cell over three inputs, 16-bit data and 8-bit weights."""
    states = [_tensor(rng, 5, dtype=np.int16, frac_bits=13) for _ in range(2)]
    layer  = mli1.LstmCell(_tensor(rng, 4, 5, 9), _tensor(rng, 4, 5), *states, 13,
                           mli1.RnnMode.BATCH_TO_BATCH)
    return [layer], _tensor(rng, 3, 4, dtype=np.int16, frac_bits=12)


def _sa8(rng):
    """MLI 2.0 convolution with a scale for each output channel."""
    layer, x = affine_conv(mli2.Conv2d, (3, 3, 4, 6), (5, 6, 4), rng)
    return [layer], x


def _xs3(rng):
    """lib_nn convolution."""
    layer, x = deep_conv((20, 3, 3, 8), (4, 5, 8), rng)
    return [layer], x


KERNELS = {"cnn": _cnn, "lstm": _lstm, "sa8": _sa8, "xs3": _xs3}


def _bytes_of(device, layout, size):
    """The first ``size`` bytes on the bus from the first ``layout`` row on."""
    lanes = device.config.lanes
    cells = device.read_cells(Memory.X, layout.row * lanes, layout.rows * lanes)
    return cells.tobytes()[:size]


def _run(device, name):
    """Run a kernel and assert that X holds the golden result, in the user's array order.

    Returns the count of words transferred over the bus.
    """
    layers, x = KERNELS[name](np.random.default_rng(61))
    before    = device.words
    plan      = make_plan(device.config, layers, x, c_order=True)
    assert isinstance(plan, Plan)
    plan.load(device)
    run = plan.run(device, x)

    assert (run.result.state, run.result.status) == (State.DONE, Status.OK)
    assert not device.irq
    value = x
    for layer, overflow in zip(layers, run.overflows, strict=True):
        expected = golden.run(layer, value)
        value    = expected.output
        assert overflow == expected.overflow, f"{name}: {type(layer).__name__}"
    actual = _bytes_of(device, plan.target, value.data.nbytes)
    assert actual == value.data.tobytes(), f"{name}: {actual.hex()}, not {value.data}"
    assert run.output == value
    if run.cells[-1] is not None:
        assert run.cells[-1] == expected.cell
    counters = [run.result.counters[counter] for counter in COUNTERS]
    assert counters[0] == sum(counters[1:]) > 0
    return device.words - before


@cocotb.test
async def kernels_equal_golden(dut):
    """Load, run and read, using only bus transfers and the interrupt."""
    await start(dut)
    device = BusDevice(find_size(cocotb.plusargs["size"]), dut, int(cocotb.plusargs["pauses"]))
    for name in cocotb.plusargs["kernels"].split(","):
        words = await cocotb.task.bridge(_run)(device, name)
        assert words > 100, f"{name} took {words} words"
