# SPDX-License-Identifier: Apache-2.0
"""Base for reductions along dimensions."""

from xymac.host.lower.base import Lowering

__all__ = ["ReductionLowering"]


class ReductionLowering(Lowering):
    """A reduction along dimensions."""

    def tile_axes(self):
        """The longest kept dimension, in multiples of four indices if it has enough."""
        [x], form = self.inputs, self.form
        axes = [axis for axis in range(len(self.output.shape))
                if form.source_axis(axis, len(x.shape)) not in form.gone]
        axis = max(axes, key=lambda axis: self.output.shape[axis], default=None)
        return [] if axis is None else [(axis, 4), (axis, 1)]
