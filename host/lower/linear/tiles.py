# SPDX-License-Identifier: Apache-2.0
"""Base for convolutions, matrices and their saturating kinds: image tiles or output tiles."""

from xymac.host.frontend.linear_cut import cut_linear
from xymac.host.ir.tile import Tile, along, cut_evenly
from xymac.host.lower.base import Lowering

__all__ = ["ImageLowering"]

_CHANNELS = 4  #: Channel multiple for a mean's tiles, except the last.


class ImageLowering(Lowering):
    """A layer with windows on an image, or a matrix; tile outputs fill ``tile_lanes``."""

    tile_lanes = 1

    def cut(self, count, *, constants=False):
        """Image row tiles, or output ranges; for a mean, channels."""
        [x] = self.inputs
        if constants or hasattr(self.layer, "weights"):
            return cut_linear(self.layer, x, self.output, count, constants=constants,
                              lanes=self.tile_lanes)
        parts = cut_evenly(self.output.shape[2], count, _CHANNELS)
        return parts and [Tile(self.layer, (along(x.shape, 2, *part),),
                               along(self.output.shape, 2, *part)) for part in parts]
