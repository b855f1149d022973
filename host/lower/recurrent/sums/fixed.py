# SPDX-License-Identifier: Apache-2.0
"""Product sums of fixed-point elements in recurrent cells."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import HELD, SHIFT_MAX, SHIFT_MIN, AccumulatorRange, RoundMode
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.fields import container_clip
from xymac.host.ir.sums import check_sums

from .base import Sums

__all__ = ["FixedSums"]

_LOW_BITS  = 14  #: Low bits of a rounded sum in a separate element, if 16 bits are too few.
_WORD      = container_clip(16)[1]
_LATER_MAX = _WORD << _LOW_BITS  #: Exclusive limit of a sum stored as elements.


class FixedSums(Sums):
    """Fixed-point sums: the lanes save the sums of the first input, elements in X store the others.

    If another input's sums exceed the element limit, the lanes save the largest sums instead.
    """

    def _prepare(self):
        form = self._form
        self._shifts = [given.shift for given in form.inputs]
        self._wide = form.wide
        bounds = [max(self._bound(number, weights, bias if number == 0 else bias * 0)
                      for weights, bias in zip(given.weights, form.biases, strict=True))
                  for number, given in enumerate(form.inputs)]
        # With 8-bit weights, each sum saturates at 32 bits, as does the total before a third input.
        limit = 1 << (38 if self._wide else 33 if len(bounds) < 3 else 31)
        held  = bounds.index(max(bounds)) if max(bounds[1:], default=0) >= _LATER_MAX else 0
        self._order = [held, *(number for number in range(len(bounds)) if number != held)]
        bounds      = [bounds[number] for number in self._order]
        if sum(bounds) >= limit or max(bounds[1:], default=0) >= _LATER_MAX:
            raise Refusal(RefusalKind.VALUE, f"Rounded sums must stay below {limit} together, "
                          f"those of a further input below {_LATER_MAX}, not be up to {bounds}")
        self._split = [bound > _WORD for bound in bounds[1:]]
        entries     = HELD // (1 + any(self._split))
        self._size  = min(entries, self.tiles)
        self._words = [word for split in self._split
                       for word in ((1, 1 << _LOW_BITS) if split else (1,))] or [0]
        self._parts = self._space.in_x(self._size * len(self._words))
        self._row   = self._space.records(self._in_tiles(form.biases))

    def _bound(self, number, taps, bias):
        """Largest magnitude of a rounded sum.

        With 8-bit weights, it must keep a rounding margin below 32 bits, where the library wraps or
        saturates.
        """
        peak, shift = self._form.inputs[number].peak, self._shifts[number]
        margin = 1 << min(shift, 31) - 1 if shift > 0 else 0
        if not self._wide:
            check_sums(taps, bias, peak, (1 << 31) - 1 - margin)
        if shift < SHIFT_MIN:
            raise Refusal(RefusalKind.VALUE, "Sums must be shifted to the left by at most "
                          f"{-SHIFT_MIN} bits, not {-shift}")
        bound = int((np.abs(bias) + peak * np.abs(taps).sum(1)).max())
        bound = (bound + margin >> shift) + 1 if shift > 0 else bound << -shift
        return bound if self._wide else min(bound, 1 << 31)

    def passes(self, sources, outputs):
        """Passes over all tiles.

        Parameters
        ----------
        sources : Access list, one per input
        outputs : list of (first tile, end tile, fields from ``narrow``)
        """
        passes = []
        for first in range(0, self.tiles, self._size):
            last = min(first + self._size, self.tiles)
            passes += self._hold(first, last, sources)
            for low, high, fields in outputs:
                start, stop = max(first, low), min(last, high)
                if start < stop:
                    z = fields["z"]
                    z = replace(z, base=z.base + (start - low) * z.outer[0])
                    passes.append(self._add(self._words, start - first, stop - start,
                                             **fields | {"z": z, "resume": True,
                                                         "entry": start - first}))
        return passes

    def _hold(self, first, last, sources):
        """Passes to save one input's sums in the lanes and write the other sums as elements."""
        tiles  = last - first
        row    = self._row + first * self._space.record_rows(1)
        unused = self._parts.groups(0)
        held   = {"hold": True, "z": replace(unused, outer=(0, 0, 0)), "acc_range": self._range}
        biases = {0: row}  # the first input has the bias
        number = self._order[0]
        passes = [self._products(number, first, last, sources[number],
                                 bias_row=biases.get(number), **self._shift(number), **held)]
        place = 0
        for number, split in zip(self._order[1:], self._split, strict=True):
            matrix = self._products(number, first, last, sources[number], acc_range=self._range,
                                    bias_row=biases.get(number), **self._shift(number),
                                    z=self._parts.groups(place), clip=container_clip(16))
            place += self._size
            if not split:
                passes.append(matrix)
                continue
            fields = {"resume": True, "entry": self._size, "clip": container_clip(16),
                      "acc_range": AccumulatorRange.BITS40}
            high   = self._parts.groups(place)
            passes += [replace(matrix, **held, entry=self._size),
                      self._add([0], place, tiles, z=high, shift=_LOW_BITS,
                                rounding=RoundMode.FLOOR, **fields),
                      self._add([-1 << _LOW_BITS], place, tiles, z=matrix.epilogue.z, **fields)]
            place += self._size
        return passes

    @property
    def _range(self):
        return AccumulatorRange.BITS40 if self._wide else AccumulatorRange.BITS32

    def _shift(self, number):
        return {"shift": min(self._shifts[number], SHIFT_MAX), "rounding": self._form.rounding}

    def narrow(self, place, fields=None):
        """Fields of the last pass to ``place``: saturated to 16 bits, or a table look-up by
        ``fields``.
        """
        low, high = container_clip(16)
        plain = {"clip": (low, high), "acc_range": AccumulatorRange.BITS40, **place}
        if fields is None:
            return plain
        left = -fields["shift"]
        return plain | fields | {"clip": (max(low << left, fields["clip"][0]),
                                          min(high << left, fields["clip"][1]))}
