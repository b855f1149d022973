# SPDX-License-Identifier: Apache-2.0
"""Tables with which passes compute softmax outputs exactly as a ``RowSoftmax`` does.

Tables indexed by the difference ``d`` between an element and the largest hold its exponential in a
sum, ``32 * coarse + fine``, and the limit of its products with the sum, ``2**14 * coarse + rest``;
see ``thresholds``. ``coarse`` is never too small. A table indexed by the sum holds its inverse,
also never too small. It is close enough that ``coarse`` times the inverse is the quotient of limit
and sum, or up to 1 more. The error has these parts, in units of that quotient, with ``coarse`` at
most ``2**14 + 1``:

- linear interpolation lies up to 0.5 above the curve; this part is ``step**2 / 8`` times the second
  derivative: 16 of ``2**19``, times ``2**14``;
- dropping low sum bits, with entries that compensate for it, adds up to 0.13;
- integer entries and the interpolation between them add up to 0.1; ``coarse`` adds up to 0.04.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from xymac.hdl.isa import TABLE_ENTRIES
from xymac.host.ir.exponential import BELOW, SUM_BITS, exponentials
from xymac.host.ir.rescale import divide
from xymac.host.memory.tables import OwnTable

from .thresholds import CORRECTION, find_thresholds

__all__ = ["COARSE_BITS", "FINE_BITS", "QUOTIENT_BITS", "InverseTable", "ShareTables",
           "ShortTables"]

COARSE_BITS   = 14   #: Bits of a limit below ``coarse``.
FINE_BITS     = 5    #: Bits of an exponential in a sum, below ``coarse``.
QUOTIENT_BITS = 19   #: Fraction bits of ``coarse`` times an inverse.

_INVERSE  = QUOTIENT_BITS + COARSE_BITS  #: Bits of inverse times sum.
_SUM_BITS = 31 - SUM_BITS                #: Bits for the exponential 1 in a sum.
_FINE_END = 23                           #: From ``2**23`` on the second inverse takes over.


@dataclass(frozen=True)
class InverseTable:
    """A reciprocal table for a sum; its argument is the negative sum shifted right.

    Parameters
    ----------
    own : OwnTable
    shift : int, right shift of the sum
    clip : (low, high), for the argument
    table_shift : int, argument bits between two entries
    """

    own:         OwnTable
    shift:       int
    clip:        tuple
    table_shift: int


class ShareTables:
    """All tables for rows with ``count`` elements.

    Parameters
    ----------
    powers : exponentials for all of ``BELOW``
    thresholds : list of Threshold, as long as ``powers``
    count : int

    Attributes
    ----------
    fine, coarse, rest : OwnTables by ``d``; below ``clip`` all are 0
    clip : (low, high) for ``d``
    inverses : tuple of InverseTable, whose lookups add up
    rows : OwnTable by ``d``, twice the row start in ``corrections``; or None
    corrections : OwnTable, limit corrections by start and quotient; or None
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
    @lru_cache(maxsize=64)
    def find(cls, argument, count):
        """The ShareTables for rows with ``count`` elements, or None.

        It is None if a difference lacks a limit for some softmax output, or if the tables need more
        than ``TABLE_ENTRIES`` entries. ``argument`` is that for ``exponentials``.
        """
        powers     = exponentials(*argument)
        thresholds = find_thresholds(powers, count)
        if None in thresholds:
            return None
        tables = cls(powers, thresholds, count)
        return tables if tables.entries <= TABLE_ENTRIES else None

    @property
    def entries(self):
        """Number of table memory entries used by all tables."""
        tables = [self.fine, self.coarse, self.rest, self.rows, self.corrections,
                  *(inverse.own for inverse in self.inverses)]
        return sum(len(own.values) + len(own.values) % 2 for own in tables if own)

    def _split(self, limits, units):
        """Compute ``fine``, ``coarse`` and ``rest``."""
        coarse      = -(-(limits + CORRECTION) >> COARSE_BITS)
        self.coarse = self._by_difference(coarse)
        self.fine   = self._by_difference(units - (coarse << FINE_BITS))
        self.rest   = self._by_difference(limits - (coarse << COARSE_BITS))

    def _by_difference(self, values, below=0):
        """OwnTable with values for all of ``BELOW``; ``below`` is the value under the least
        exponential.
        """
        values = [below, *values[self._start:].tolist(), 0]
        return OwnTable(tuple(values), -self.clip[0])

    def _correct(self, thresholds):
        """Compute ``rows`` and ``corrections``: all differences' rows overlap in a single table.

        Each row goes where it agrees with the earlier rows. All entries after the rows are 0.
        """
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
        begin = np.array([begins.get(place, end) for place in range(BELOW.size)])
        self._place(np.clip(0, lows[:end], highs[:end]).tolist(), begin)

    def _place(self, values, begin):
        """Set ``rows`` and ``corrections``; ``begin`` has the row start for all differences."""
        self.corrections = OwnTable((*values, 0, 0), 0)
        self.rows = self._by_difference(2 * begin, 2 * len(values))


class ShortTables(ShareTables):
    """ShareTables for rows with up to ``MOST`` elements, whose ``coarse`` and ``fine`` sums are
    words.

    A limit is ``rest - 2**BITS * coarse``, an exponential in a sum ``fine - 2**FINE * coarse``:
    ``coarse`` is negative, with an error of up to 0.5. ``GUESS`` compensates for it where a
    quotient has ``QUOTIENT`` fraction bits; ``TOP`` bits hold all sums. The quotient of ``coarse``
    is negative, too: ``corrections`` has its last entry for an index 0, and ``rows`` times
    ``ROW_FACTOR`` has ``QUOTIENT + 1`` fraction bits.
    """

    MOST = 15
    ROW_FACTOR = -1 << 15
    BITS, FINE, QUOTIENT, TOP = 16, 7, 17, 23
    GUESS = (1 << QUOTIENT - 4) + 2

    def _split(self, limits, units):
        coarse      = limits + (1 << self.BITS - 1) >> self.BITS
        self.coarse = self._by_difference(-coarse)
        self.fine   = self._by_difference(units - (coarse << self.FINE))
        self.rest   = self._by_difference(limits - (coarse << self.BITS))

    def _place(self, values, begin):
        self.corrections = OwnTable((0, *values[::-1], values[0]), len(values))
        unit = (1 << self.QUOTIENT + 1) // -self.ROW_FACTOR
        self.rows = self._by_difference(unit * begin, unit * len(values))


def _inverses(count):
    """An InverseTable for a sum over ``count`` exponentials, two if the sum can reach ``2**23``."""
    bits  = _FINE_END
    first = _inverse(min(count << _SUM_BITS, 1 << bits), 1 << _SUM_BITS, 15, 6, 0)
    if count << _SUM_BITS <= 1 << bits:
        return (first,)
    return first, _inverse(1 << 28, 1 << bits, 21, 11, first.own.values[0])


def _inverse(most, least, step_bits, shift, less):
    """The InverseTable for sums from ``least`` to ``most``, both multiples of ``2**step_bits``.

    ``less`` is subtracted from all entries. Sums outside the range have the inverse of its limit.
    """
    sums    = np.arange(most, least - 1, -1 << step_bits)
    values  = (-(-(1 << _INVERSE) // (sums - (1 << shift))) - less).tolist()
    own     = OwnTable((*values, values[-1]), most >> step_bits)
    return InverseTable(own, shift, (-most >> shift, -least >> shift), step_bits - shift)
