# SPDX-License-Identifier: Apache-2.0
"""L2 normalisation over a run as passes.

All lanes hold the sum of squares, and each tries another shift; see ``tries``. The program is
therefore the same for all data.
"""

from dataclasses import replace

from xymac.hdl.isa import BANKS, AccumulatorRange, Pass, Width
from xymac.host.ir.fields import container_clip

from .elements import WORD
from .lane_sums import LaneSums
from .share import InverseRoot
from .tries import Tries

__all__ = ["Normalisation"]

#: Cycles, about, that it takes longer to have every square in one lane only: by itself, and each
#: tile of tries and marks.
_LONGER = 250, 40


class Normalisation:
    """Passes over the elements of a single sum."""

    def __init__(self, form, elements, target, space):
        self._space    = space
        self._elements = elements
        self._tries    = Tries(form.rounding, space.ways)
        self._share    = InverseRoot(form, elements, target, space)
        self._tried    = space.in_x(self._tries.tiles)

    def make(self):
        """All passes, their accesses relative."""
        passes = self._sum_in_lanes() if self._are_many else self._sum_in_all()
        return [*passes, *self._find_right(), *self._share.multiply()]

    @property
    def _are_many(self):
        """Whether cutting lane sums is faster than full sums in every lane.

        Full sums need an element copy in all lanes, a tile each, and the sum of squares for every
        tile of tries.
        """
        tiles = self._tries.tiles
        fixed, each = _LONGER
        return self._elements.count * (BANKS + tiles / self._space.ways) > fixed + each * tiles

    def _sum_in_all(self):
        """Passes adding up all squares in every lane, and trying all shifts."""
        tries, groups = self._tries, self._elements.source.pitch
        factors = self._space.rows_in_y(groups)
        return [*self._elements.copy_to_all(factors, self._space),
                self._try(self._space.records(tries.first, tries.bias), taps=(1, 1, groups),
                          x=self._elements.access(taps=(0, 0, 1)), y=factors.rows(groups),
                          **self._elements.fields)]

    def _sum_in_lanes(self):
        """Passes computing every square in a single lane, cutting the lane sums, and trying all
        shifts.
        """
        sums = LaneSums(self._elements, self._space, self._tries.bias)
        row  = self._space.records(self._tries.first, sums.bias)
        size = self._space.record_rows(2) * self._space.ways
        upper = self._space.in_records(row + self._space.record_rows(1), self._space.upper_word,
                                       size * (self._tries.tiles - 1) + 1)
        return [*sums.make(upper), self._try(row, **sums.steps)]

    def _try(self, row, **fields):
        return Pass(**self._tries.fields | {"z": self._tried.groups(0), "bias_row": row} | fields)

    def _find_right(self):
        """Passes looking up the correct try's root, and writing its shift."""
        weights, fields = self._tries.argument
        root = self._weigh(weights, **self._share.look_up, **fields)
        weights, bias, fields = self._tries.count(self._share.least)
        shifts = self._share.shifts.output(0)
        return [root, self._weigh(weights, bias_row=self._space.records(bias), **shifts, **fields)]

    def _weigh(self, weights, **fields):
        """Pass adding up the values of all lanes, times ``weights``, in all lanes."""
        x = replace(self._tried.groups(0), outer=(0, 0, 0), taps=(0, 0, 1))
        return Pass(**{"taps": (1, 1, BANKS * self._tries.tiles), "x": x, "x_width": Width.BITS16,
                       "y": self._space.rows(weights), "y_width": Width.BITS16,
                       "z_width": Width.BITS16, "clip": container_clip(WORD),
                       "acc_range": AccumulatorRange.BITS40} | fields)
