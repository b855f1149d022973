# SPDX-License-Identifier: Apache-2.0
"""Sums over several inputs as passes, rounded separately per input."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.recurrent.dense_sums import DenseSums
from xymac.host.ir.sums import fit_weights
from xymac.host.lower.made_once import MadeOnce
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import width_of

from .sums.base import Input
from .sums.select import dense_sums

__all__ = ["DenseSumsLowering"]


class DenseSumsLowering(MadeOnce):
    """Sum over several inputs' products."""

    forms = (DenseSums,)

    def constant_axes(self):
        """The outputs."""
        return self.tile_axes()

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
        form, taps = self.form, []
        for given, source in zip(form.inputs, sources, strict=True):
            places = source.places()
            taps.append(np.where(places < 0, 0, given.weights[0][:, places]))
        tiles   = -(-self.output.shape[0] // (BANKS * self.ways))
        padding = tiles * BANKS * self.ways - self.output.shape[0]
        matrix  = space.matrix(fit_weights(np.pad(np.hstack(taps), ((0, padding), (0, 0)))))
        inputs, column = [], 0
        for given, x, source in zip(form.inputs, self.inputs, sources, strict=True):
            inputs.append(Input(given, matrix, column, source.groups, width_of(x.bits)))
            column += source.groups
        return dense_sums(space, form, inputs, tiles)
