# SPDX-License-Identifier: Apache-2.0
"""Sums of products of SA_8 elements of MLI 2.0 recurrent kernels."""

from dataclasses import dataclass

import numpy as np

from xymac.golden.parameters.mli2.linear import align_bias, output_scaling
from xymac.hdl.isa import Scale
from xymac.host.frontend.mli2.fields import POST_MAX, affine_clip
from xymac.host.ir.fields import container_clip
from xymac.host.ir.sums import first_record, largest_sum

from .base import Sums

__all__ = ["AffineSums", "ScaledSum", "scale_sums"]

WORD_MAX   = (1 << 31) - 1  #: Of a sum that the library does not wrap.
FACTOR_MAX = 1 << 31  #: What scales any sum but 0 to what saturates at 32 bits.
_ELEMENT   = container_clip(16)[1]


@dataclass(frozen=True)
class ScaledSum:
    """The sums of one gate of the products of one input, each of them scaled alike.

    Parameters
    ----------
    bias : int64 [outputs], in the position of the products
    lacks : int64 [outputs], what the products of a pass lack; see ``Input``
    multiplier, shift : int, of the scale, at most ``FACTOR_MAX`` and 0 .. 63
    largest : int, magnitude that no sum of products exceeds, bias not included
    bound : int, the same of a scaled sum, bias included
    """

    bias:       np.ndarray
    lacks:      np.ndarray
    multiplier: int
    shift:      int
    largest:    int
    bound:      int


def scale_sums(build, kind, inputs, gates):
    """Lists of ScaledSum, one of all gates for each input; see ``select.dense_sums``."""
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
    """Sums that are scaled to elements of 16 bits each, and then added.

    Parameters
    ----------
    scaled : lists of ScaledSum, see ``scale_sums``; of others see ``select.dense_sums``
    """

    def __init__(self, space, build, kind, inputs, count, scaled):
        self._scaled = scaled
        super().__init__(space, build, kind, inputs, [()] * len(scaled[0]), count)

    @classmethod
    def takes(cls, kind, scaled):
        """Whether all that could matter has 16 bits: all but one of the scaled sums, together.

        The sums themselves must not wrap, nor multipliers have more than 32 bits.
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
        """Passes of all tiles; see ``FixedSums.passes``."""
        fields = {"scale": Scale.BITS32, "rounding": self._build.rounding,
                  "clip": container_clip(16)}
        passes = [self._products(number, 0, self.tiles, x, bias_row=self._rows[number],
                                 z=self._parts.groups(number * self._size), **fields)
                  for number, x in enumerate(sources)]
        return passes + self._finish(len(sources), outputs)

    def _finish(self, count, outputs):
        """Passes that add up ``count`` parts for each of the outputs."""
        return [self._add([self._unit(output)] * count, low, high - low, **output)
                for low, high, output in outputs]

    def _unit(self, fields):
        """What a sum counts in units of an argument that the ``fields`` look up: one that has no
        place between two entries is the sum itself."""
        return self._kind.scale if fields.get("table_shift") else 1

    def narrow(self, place, fields=None):
        """Fields of the last pass to a ``place``: saturated to 8 bits; ``fields`` look that up."""
        if fields is None:
            return affine_clip(container_clip(8), self._kind.zero_point) | place
        left = -fields["shift"]
        return fields | {"clip": tuple(limit * self._unit(fields) << left
                                       for limit in container_clip(8))} | place
