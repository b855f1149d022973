# SPDX-License-Identifier: Apache-2.0
"""Product sums of affine elements in recurrent cells."""

import numpy as np

from xymac.hdl.isa import Scale
from xymac.host.ir.fields import affine_clip, container_clip
from xymac.host.ir.sums import first_record

from .base import Sums

__all__ = ["AffineSums"]

WORD_MAX   = (1 << 31) - 1  #: Largest sum that the library does not wrap.
FACTOR_MAX = 1 << 31  #: Multiplier that saturates every nonzero sum at 32 bits.
_ELEMENT   = container_clip(16)[1]


class AffineSums(Sums):
    """Sums scaled to 16-bit elements per input, then added; see ``select.dense_sums``."""

    @classmethod
    def takes(cls, form):
        """Whether 16-bit elements are exact: all scaled sums except the largest fit together in 16
        bits.

        Product sums must not wrap, and multipliers must be below ``FACTOR_MAX``.
        """
        every  = [each for given in form.inputs for each in given.scaled]
        bounds = sorted(max(each.bound for each in given.scaled) for given in form.inputs)
        return (sum(bounds[:-1]) <= _ELEMENT - 128 - abs(form.zero)
                and all(each.largest <= WORD_MAX and each.multiplier < FACTOR_MAX
                        for each in every))

    @property
    def _scaled(self):
        """Lists of ScaledSum, a list per input with an entry per gate."""
        return [given.scaled for given in self._form.inputs]

    def _prepare(self):
        self._rows = [self._space.records(self._in_tiles([self._record(each) for each in gates]),
                                          self._in_tiles([each.bias + each.lacks
                                                          for each in gates]))
                      for gates in self._scaled]
        self._size  = self.tiles
        self._parts = self._space.in_x(self._size * len(self._inputs))

    @staticmethod
    def _record(each):
        return np.full(len(each.bias), first_record(each.multiplier, 0, each.shift))

    def passes(self, sources, outputs):
        """Passes over all tiles; see ``FixedSums.passes``."""
        fields = {"scale": Scale.BITS32, "rounding": self._form.rounding,
                  "clip": container_clip(16)}
        passes = [self._products(number, 0, self.tiles, x, bias_row=self._rows[number],
                                 z=self._parts.groups(number * self._size), **fields)
                  for number, x in enumerate(sources)]
        return passes + self._finish(len(sources), outputs)

    def _finish(self, count, outputs):
        """Passes to add ``count`` parts for every output."""
        return [self._add([self._unit(output)] * count, low, high - low, **output)
                for low, high, output in outputs]

    def _unit(self, fields):
        """A sum's weight in units of the table argument in ``fields``; 1 without interpolation."""
        return self._form.unit if fields.get("table_shift") else 1

    def narrow(self, place, fields=None):
        """Fields of the last pass to ``place``: saturated to 8 bits, or a table look-up by
        ``fields``.
        """
        if fields is None:
            return affine_clip(container_clip(8), self._form.zero) | place
        left = -fields["shift"]
        return fields | {"clip": tuple(limit * self._unit(fields) << left
                                       for limit in container_clip(8))} | place
