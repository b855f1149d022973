# SPDX-License-Identifier: Apache-2.0
"""Tables by which passes make shares of exponentials as TensorFlow Lite does.

By the difference ``d`` of an element from the largest one there are its exponential in a sum,
``32 * coarse + fine``, and the limit that its products with the sum have, ``2**14 * coarse +
rest``; see ``thresholds``. ``coarse`` is never too small. By the sum there is its inverse, never
too small either, and too large by so little that ``coarse`` times the inverse is the quotient of
limit and sum, or up to 1 more. In units of that quotient, ``coarse`` at most ``2**14 + 1``:

- lines between entries are above the curve by up to 0.5, whose part is ``step**2 / 8`` times the
  second derivative: 16 of ``2**19``, times ``2**14``;
- sums that lose their low bits, and the entries that make up for it, by up to 0.13;
- whole entries, and the way between two of them, by up to 0.1; ``coarse`` by up to 0.04.
"""

from dataclasses import dataclass

import numpy as np

from xymac.hdl.isa import TABLE_ENTRIES
from xymac.host.lower.softmax.exponentials import BELOW, SUM_BITS, divide, exponentials
from xymac.host.memory.tables import OwnTable

from .thresholds import CORRECTION, find_thresholds

__all__ = ["COARSE_BITS", "FINE_BITS", "QUOTIENT_BITS", "Inverse", "ShareTables", "ShortTables"]

COARSE_BITS   = 14   #: Of a limit, below ``coarse``.
FINE_BITS     = 5    #: Of an exponential in a sum, below ``coarse``.
QUOTIENT_BITS = 19   #: Behind the point of ``coarse`` times an inverse.

_INVERSE  = QUOTIENT_BITS + COARSE_BITS  #: Bits of an inverse times the sum.
_SUM_BITS = 31 - SUM_BITS                #: Of an exponential of 1 in a sum.
_FINE_END = 23                           #: From ``2**23`` on the second inverse takes over.


@dataclass(frozen=True)
class Inverse:
    """A table of the inverse of a sum, whose argument is the sum, negative and shifted right.

    Parameters
    ----------
    own : OwnTable
    shift : int, of the sum
    clip : (low, high), of the argument
    table_shift : int, bits of the argument between two entries
    """

    own:         OwnTable
    shift:       int
    clip:        tuple
    table_shift: int


class ShareTables:
    """All tables of rows of ``count`` elements.

    Parameters
    ----------
    powers : exponentials of all of ``BELOW``
    thresholds : list of Threshold, one each
    count : int

    Attributes
    ----------
    fine, coarse, rest : OwnTables by ``d``; below ``clip`` all are 0
    clip : (low, high) of ``d``
    inverses : tuple of Inverse, what is to be added up
    rows : OwnTable by ``d``, twice the begin of a row of ``corrections``; or None
    corrections : OwnTable of what limits are more, by begin and quotient; or None
    """

    def __init__(self, powers, thresholds, count):
        units       = divide(powers, SUM_BITS)
        limits      = np.array([threshold.limit for threshold in thresholds])
        self._start = int(np.argmax(units > 0))
        self.clip   = int(BELOW[self._start]) - 1, 0
        self._split(limits, units)
        self.inverses = _inverses(count)
        self.rows = self.corrections = None
        if not all(threshold.is_exact for threshold in thresholds):
            self._correct(thresholds)

    @classmethod
    def find(cls, argument, count):
        """The ShareTables of rows of ``count`` elements, None if there are none: a difference has
        no limit for each share, or corrections have more entries than a core.

        ``argument`` is that of ``exponentials``.
        """
        powers     = exponentials(*argument)
        thresholds = find_thresholds(powers, count)
        if None in thresholds:
            return None
        tables = cls(powers, thresholds, count)
        return tables if tables.entries <= TABLE_ENTRIES else None

    @property
    def entries(self):
        """Entries of table memory that all take."""
        tables = [self.fine, self.coarse, self.rest, self.rows, self.corrections,
                  *(inverse.own for inverse in self.inverses)]
        return sum(len(own.values) + len(own.values) % 2 for own in tables if own)

    def _split(self, limits, units):
        """Make ``fine``, ``coarse`` and ``rest``."""
        coarse      = -(-(limits + CORRECTION) >> COARSE_BITS)
        self.coarse = self._by_difference(coarse)
        self.fine   = self._by_difference(units - (coarse << FINE_BITS))
        self.rest   = self._by_difference(limits - (coarse << COARSE_BITS))

    def _by_difference(self, values, below=0):
        """OwnTable of values of all of ``BELOW``; ``below`` the least with an exponential."""
        values = [below, *values[self._start:].tolist(), 0]
        return OwnTable(tuple(values), -self.clip[0])

    def _correct(self, thresholds):
        """Make ``rows`` and ``corrections``: rows of all differences into one another, each where
        it agrees with those before. Behind them all is 0."""
        lows, highs = np.full(TABLE_ENTRIES, -CORRECTION), np.full(TABLE_ENTRIES, CORRECTION)
        begins, end = {}, 0
        several = [place for place, threshold in enumerate(thresholds) if not threshold.is_exact]
        for place in sorted(several, key=lambda place: -len(thresholds[place].ranges)):
            shares = np.array([*thresholds[place].ranges])
            low, high = np.array([*thresholds[place].ranges.values()]).T
            at    = np.arange(-shares.min(), TABLE_ENTRIES - shares.max())[:, None] + shares
            fits  = (np.maximum(lows[at], low) <= np.minimum(highs[at], high)).all(axis=1)
            taken = at[int(np.argmax(fits))] if fits.any() else at[-1]
            lows[taken], highs[taken] = np.maximum(lows[taken], low), np.minimum(highs[taken], high)
            begins[place] = int(taken[0] - shares[0])
            end = max(end, int(taken.max()) + 1)
        values = np.clip(0, lows[:end], highs[:end])
        self.corrections = OwnTable((*values.tolist(), 0, 0), 0)
        begin = np.array([begins.get(place, end) for place in range(BELOW.size)])
        self.rows = self._by_difference(2 * begin, 2 * end)


class ShortTables(ShareTables):
    """Those of rows of up to ``MOST`` elements, for whose sums the words of ``coarse`` and ``fine``
    add up by themselves.

    A limit is ``rest - 2**BITS * coarse``, an exponential in a sum ``fine - 2**FINE * coarse``:
    ``coarse`` is negative, and off by up to a half. ``GUESS`` makes up for that where a quotient
    has ``QUOTIENT`` bits behind its point; ``TOP`` bits hold all sums.
    """

    MOST = 15
    BITS, FINE, QUOTIENT, TOP = 16, 7, 17, 23
    GUESS = (1 << QUOTIENT - 4) + 2

    def _split(self, limits, units):
        coarse      = limits + (1 << self.BITS - 1) >> self.BITS
        self.coarse = self._by_difference(-coarse)
        self.fine   = self._by_difference(units - (coarse << self.FINE))
        self.rest   = self._by_difference(limits - (coarse << self.BITS))


def _inverses(count):
    """One Inverse of the sum of ``count`` exponentials, or two if it can be ``2**23`` and more."""
    bits  = _FINE_END
    first = _inverse(min(count << _SUM_BITS, 1 << bits), 1 << _SUM_BITS, 15, 6, 0)
    if count << _SUM_BITS <= 1 << bits:
        return (first,)
    return first, _inverse(1 << 28, 1 << bits, 21, 11, first.own.values[0])


def _inverse(most, least, step_bits, shift, less):
    """The Inverse of sums from ``least`` to ``most``, both multiples of ``2**step_bits``: ``less``
    is taken off. What is beyond has that of the limit."""
    sums    = np.arange(most, least - 1, -1 << step_bits)
    values  = (-(-(1 << _INVERSE) // (sums - (1 << shift))) - less).tolist()
    own     = OwnTable((*values, values[-1]), most >> step_bits)
    return Inverse(own, shift, (-most >> shift, -least >> shift), step_bits - shift)
