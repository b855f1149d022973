# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 recurrent dense kernel as passes."""

from dataclasses import replace

import numpy as np

from xymac.golden.mli2 import RnnDense
from xymac.hdl.isa import BANKS
from xymac.host.ir.fields import container_clip
from xymac.host.ir.sums import fit_weights
from xymac.host.ir.tile import Tile, cut_evenly, whole
from xymac.host.lower.made_once import MadeOnce
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import width_of

from .arithmetic import blank
from .sums.base import Input
from .sums.select import dense_sums

__all__ = ["RnnDenseLowering"]


class RnnDenseLowering(MadeOnce):
    """Sum over several inputs' products."""

    layers = (RnnDense,)

    def cut(self, count, *, constants=False):
        """Output ranges."""
        layer = self.layer
        return [Tile(replace(layer, bias=layer.bias.take((slice(first, end),)),
                             weights=tuple(weights.take((slice(None), slice(first, end)))
                                           for weights in layer.weights)),
                     tuple(whole(x.shape) for x in self.inputs), (slice(first, end),))
                for first, end in cut_evenly(*self.output.shape, count) or []] or None

    def source_layouts(self, preferred):
        """Every input as a single run."""
        return tuple(TensorLayout.flat(x, self.ways) for x in self.inputs)

    def output_layout(self, sources):
        """A single run, in whole tiles."""
        target = TensorLayout.flat(self.output, self.ways)
        tiles  = -(-target.groups // BANKS)
        return replace(target, behind=-(-tiles * BANKS // target.row_groups) - target.rows)

    def make(self, space, sources, target):
        """Passes for the sums over all inputs."""
        sums = self._sums(space, sources)
        z    = RelativeAccess(0, 0, sums.tiles * BANKS - 1, (BANKS, 0, 0), area=Area.TARGET,
                              row_units=target.row_groups)
        last = sums.narrow({"z": z, "z_width": width_of(target.bits)})
        return sums.passes([RelativeAccess.to(source, number, taps=(0, 0, 1))
                            for number, source in enumerate(sources)], [(0, sums.tiles, last)])

    def _sums(self, space, sources):
        """Sums with a joint matrix: the weights of all inputs side by side."""
        layer, taps = self.layer, []
        for weights, source in zip(layer.weights, sources, strict=True):
            places = source.places()
            taps.append(np.where(places < 0, 0, weights.centred.T[:, places]))
        outputs = layer.bias.shape[0]
        tiles   = -(-outputs // (BANKS * self.ways))
        padding = tiles * BANKS * self.ways - outputs
        matrix  = space.matrix(fit_weights(np.pad(np.hstack(taps), ((0, padding), (0, 0)))))
        inputs, column = [], 0
        for x, source in zip(self.inputs, sources, strict=True):
            zero = x.format.zero_point if x.is_affine else 0
            peak = max(abs(limit - zero) for limit in container_clip(x.bits))
            inputs.append(Input(blank(x.format, x.bits), matrix, column, source.groups,
                                width_of(x.bits), peak))
            column += source.groups
        return dense_sums(space, layer.build, layer.out, inputs, [(layer.weights, layer.bias)],
                          tiles)
