# SPDX-License-Identifier: Apache-2.0
"""SA_8 product sums in MLI 2.0 recurrent kernels."""

from dataclasses import dataclass

import numpy as np

from xymac.golden.parameters.mli2.linear import align_bias, output_scaling
from xymac.hdl.isa import Scale
from xymac.host.frontend.mli2.fields import POST_MAX, affine_clip
from xymac.host.ir.fields import container_clip
from xymac.host.ir.sums import first_record, largest_sum

from .base import Sums

__all__ = ["AffineSums", "ScaledSum", "scale_sums"]

WORD_MAX   = (1 << 31) - 1  #: Largest sum that the library does not wrap.
FACTOR_MAX = 1 << 31  #: Multiplier that saturates every nonzero sum at 32 bits.
_ELEMENT   = container_clip(16)[1]


@dataclass(frozen=True)
class ScaledSum:
    """Product sums for an input and a gate, all with the same scale.

    Parameters
    ----------
    bias : int64 [outputs], at the products' binary point
    lacks : int64 [outputs], zero point correction; see ``Input.lacks``
    multiplier, shift : int, the scale, at most ``FACTOR_MAX`` and 0 .. 63
    largest : int, magnitude bound per product sum, without bias
    bound : int, magnitude bound per scaled sum, with bias
    """

    bias:       np.ndarray
    lacks:      np.ndarray
    multiplier: int
    shift:      int
    largest:    int
    bound:      int


def scale_sums(build, kind, inputs, gates):
    """Lists of ScaledSum, a list per input with an entry per gate; see ``select.dense_sums``."""
    return [[_scale(build, kind, given, weights[number], bias, number == 0)
             for weights, bias in gates] for number, given in enumerate(inputs)]


def _scale(build, kind, given, weights, bias, first):
    taps    = weights.centred.T
    scaling = output_scaling(given.like, weights, kind, build)
    multiplier, shift = (int(value.item()) for value in (scaling.multiplier, scaling.shift))
    multiplier, shift = min(multiplier << max(-shift, 0), FACTOR_MAX), min(max(shift, 0), POST_MAX)
    added = align_bias(given.like, weights, bias, build) * first
    sums  = np.minimum(np.abs(added) + given.peak * np.abs(taps).sum(1), 1 << 31)
    return ScaledSum(added, given.lacks(taps), multiplier, shift,
                     largest_sum(taps, added * 0, given.peak),
                     (int(sums.max()) * multiplier >> shift) + 1)


class AffineSums(Sums):
    """Sums scaled to 16-bit elements per input, then added.

    Parameters
    ----------
    scaled : lists of ScaledSum from ``scale_sums``; for other parameters see ``select.dense_sums``
    """

    def __init__(self, space, build, kind, inputs, count, scaled):
        self._scaled = scaled
        super().__init__(space, build, kind, inputs, [()] * len(scaled[0]), count)

    @classmethod
    def takes(cls, kind, scaled):
        """Whether 16-bit elements are exact: all scaled sums except the largest fit together in 16
        bits.

        Product sums must not wrap, and multipliers must be below ``FACTOR_MAX``.
        """
        every  = [each for gates in scaled for each in gates]
        bounds = sorted(max(each.bound for each in gates) for gates in scaled)
        return (sum(bounds[:-1]) <= _ELEMENT - 128 - abs(kind.zero_point)
                and all(each.largest <= WORD_MAX and each.multiplier < FACTOR_MAX
                        for each in every))

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
        fields = {"scale": Scale.BITS32, "rounding": self._build.rounding,
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
        return self._kind.scale if fields.get("table_shift") else 1

    def narrow(self, place, fields=None):
        """Fields of the last pass to ``place``: saturated to 8 bits, or a table look-up by
        ``fields``.
        """
        if fields is None:
            return affine_clip(container_clip(8), self._kind.zero_point) | place
        left = -fields["shift"]
        return fields | {"clip": tuple(limit * self._unit(fields) << left
                                       for limit in container_clip(8))} | place
