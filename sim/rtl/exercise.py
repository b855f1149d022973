# SPDX-License-Identifier: Apache-2.0
"""A typical program that trains the compiler's profile for a simulated core."""

from contextlib import suppress

import numpy as np

from xymac.golden.mli1 import Conv2d, FullyConnected, MaxPool, Relu, Sigmoid, Tensor
from xymac.hdl.isa import Memory
from xymac.host.device.device import DeviceError
from xymac.host.plan.plan import Plan

from .harness import SimulationError

__all__ = ["exercise"]

_SEED   = 1
_CYCLES = 500_000  # a correct core needs fewer cycles


def exercise(device):
    """Run every kind of kernel on a newly opened Device."""
    rng = np.random.default_rng(_SEED)
    for dtype, frac_bits in ((np.int8, 7), (np.int16, 15)):
        x, layers = _network(rng, dtype, frac_bits)
        # Errors of a broken core are ignored here; the tests report them.
        with suppress(DeviceError, SimulationError, ValueError):
            plan = Plan(device.config, layers, x, keep=False)
            plan.load(device)
            device.write_cells(Memory.X, 0, rng.integers(0, 1 << 16, device.config.x_bytes // 2,
                                                         dtype=np.uint16))
            device.run(max_cycles=_CYCLES)


def _network(rng, dtype, frac_bits):
    """Random input, and layers with random constants."""
    def constants(*shape):
        return Tensor(rng.integers(-100, 100, shape, dtype), frac_bits)

    layers = [Conv2d(constants(8, 3, 3, 3), constants(8), frac_bits, pad=(1, 1, 1, 1),
                     relu=Relu.GEN),
              MaxPool((2, 2), (2, 2)),
              Conv2d(constants(16, 8, 1, 1), constants(16), frac_bits), Sigmoid(),
              FullyConnected(constants(10, 16 * 25), constants(10), frac_bits)]
    return constants(3, 10, 10), layers
