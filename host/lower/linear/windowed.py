# SPDX-License-Identifier: Apache-2.0
"""A convolution on windows that the host writes, and its cycles."""

from dataclasses import dataclass

from xymac.hdl.isa import BANKS
from xymac.host.ir.contraction import Linear
from xymac.host.memory.quads import QuadLayout
from xymac.host.memory.windows import WindowLayout, writing_cost

from .side import group_cost, linear_cost, window_cost

__all__ = ["Written"]


@dataclass(frozen=True)
class Written:
    """A convolution on an input laid out as windows.

    Parameters
    ----------
    linear : Linear, on the window image
    layout : WindowLayout
    """

    linear: Linear
    layout: WindowLayout

    @property
    def cycles(self):
        """Cycles to write the input and compute all outputs."""
        linear, layout = self.linear, self.layout
        if isinstance(layout, QuadLayout):
            return writing_cost(layout) + linear.batch * window_cost(linear, layout.pitch // BANKS)
        if linear.lanes:
            made = -(-layout.pitch // BANKS) * group_cost(linear, layout)
        else:
            made = linear_cost(linear, layout)
        return writing_cost(layout) + linear.batch * made
