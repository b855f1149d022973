# SPDX-License-Identifier: Apache-2.0
"""Measured compact core rates on convolutions, beside tiny."""

import numpy as np

from xymac.boards.board import find_board
from xymac.golden.mli1 import Conv2d, DepthwiseConv2d, Tensor
from xymac.hdl.config import COMPACT, TINY
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.plan.run import run_layer
from xymac.sim.rtl.device import RtlDevice

from .table import markdown

__all__ = ["rates"]

_SHAPE = (16, 16, 16)
#: Name, kind, shape of the weights, padding on every side.
_CONVOLUTIONS = (
    ("conv 3x3, pad 1, 16x16x16 to 16", Conv2d, (16, 16, 3, 3), 1),
    ("conv 1x1, 16x16x16 to 32", Conv2d, (32, 16, 1, 1), 0),
    ("depthwise 3x3, pad 1, 16x16x16", DepthwiseConv2d, (16, 1, 3, 3), 1))


def _operands(kind, shape, pad):
    """A layer in fx8 with random constants, and its input."""
    rng = np.random.default_rng(seed=len(shape))
    x, weights, bias = (Tensor(rng.integers(-128, 128, dims, np.int8), frac_bits=7)
                        for dims in (_SHAPE, shape, shape[:1]))
    return kind(weights, bias, 3, pad=(pad,) * 4), x


def rates():
    """Compact core products a cycle in simulation, and products a second at the board's clock."""
    clock, rows = find_board("icebreaker").clock, []
    with RtlDevice(COMPACT) as compact, RtlDevice(TINY) as fast:
        for name, *convolution in _CONVOLUTIONS:
            layer, x = _operands(*convolution)
            products = round(TINY.products * ideal_cycles(layer, TINY, x.shape))  # a lane has one
            slow, quick = (run_layer(device, layer, x).result.counters["cycles"]
                           for device in (compact, fast))
            rows.append((name, f"{products:,}", f"{slow:,}", f"{products / slow:.2f}",
                         f"{clock * products / slow:.1f} M/s", f"{quick:,}",
                         f"{products / quick:.2f}", f"{slow / quick:.0f}"))
    peak = (f"{COMPACT.products:.2f}", f"{clock * COMPACT.products:.1f} M/s")
    return markdown(
        ("in fx8", "products", "cycles, compact", "products a cycle",
         f"at {clock:g} MHz", "cycles, tiny", "products a cycle", "compact by tiny"),
        [*rows, ("inner loop alone", "", "", *peak, "", f"{TINY.products:.2f}", "")])
