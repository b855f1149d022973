# SPDX-License-Identifier: Apache-2.0
"""Tables for exact softmax outputs, with all bits of a 32-bit share.

Tables indexed by the difference from the largest element hold its exponential ``e``, Q0.31, as
``rest - 2**16 * coarse``, and its term in a sum, ``fine - 16 * coarse``. Tables indexed by the sum
``S`` of exponentials hold the negative power of two that moves its leading bit to bit 31, and the
shift after the product of ``e`` and the reciprocal.
"""

from dataclasses import dataclass

import numpy as np

from xymac.host.ir.exponential import BELOW, SUM_BITS, exponentials
from xymac.host.ir.rescale import divide
from xymac.host.memory.tables import OwnTable

__all__ = ["COARSE_BITS", "COARSE_SUM", "LOWEST_BITS", "ExactTables", "TablePart"]

COARSE_BITS = 16                           #: Bits of an exponential below ``coarse``.
COARSE_SUM  = 1 << COARSE_BITS - SUM_BITS  #: Sum units per unit of ``coarse``.

#: The lowest 16 bits of an element of 17 bits without a sign, by steps of ``2**15``: differences of
#: two entries wrap.
LOWEST_BITS = OwnTable((-1 << 15, 0, -1 << 15, 0), 1)

_SUM_BITS   = 31 - SUM_BITS  #: Bits for the exponential 1 in a sum.
_FIRST_BITS = 7              #: Sum bits that index the first table.
_POST_BASE  = 74             #: Shift behind the product and bits of the output, without leading 0s.
_POST_UNIT  = 32             #: Value of a shift by 1 in the upper record word.


@dataclass(frozen=True)
class TablePart:
    """A table indexed by the sum bits from ``shift`` on, up to ``most``."""

    own:   OwnTable
    shift: int
    most:  int


class ExactTables:
    """All tables for rows with ``count`` elements and ``bits``-bit outputs.

    Parameters
    ----------
    argument : tuple, see ``exponentials``
    count, bits : int

    Attributes
    ----------
    coarse, rest, fine : OwnTables by difference
    clip : (low, high) for the difference
    powers, posts : tuples of Parts, whose lookups add up
    bits : int
    """

    def __init__(self, argument, count, bits):
        powers = exponentials(*argument)
        coarse = powers + (1 << COARSE_BITS - 1) >> COARSE_BITS
        self._start = int(np.argmax(powers > 0))
        self.bits   = bits
        self.clip   = int(BELOW[self._start]) - 1, 0
        self.coarse = self._by_difference(-coarse)
        self.rest   = self._by_difference(powers - (coarse << COARSE_BITS))
        self.fine   = self._by_difference(divide(powers, SUM_BITS) - COARSE_SUM * coarse)
        self.powers = _parts(count, lambda zeros: -1 << zeros)
        self.posts  = _parts(count, lambda zeros: _POST_UNIT * (_POST_BASE - bits - zeros))

    def _by_difference(self, values):
        values = [0, *values[self._start:].tolist(), 0]
        return OwnTable(tuple(values), -self.clip[0])


def _parts(count, value_of):
    """Parts whose sum is ``value_of(zeros)``, the leading zeros of a 32-bit sum."""
    def entry(part, shift):
        return value_of(32 - shift - part.bit_length())

    last  = min(count, 1 << _FIRST_BITS)
    first = [entry(max(part, 1), _SUM_BITS) for part in range(last + 1)]
    parts = TablePart(OwnTable((*first, first[-1]), 0), _SUM_BITS, last),
    if last == count:
        return parts
    shift = _SUM_BITS + _FIRST_BITS
    more  = [entry(max(part, 1), shift) - first[-1] for part in range((count >> _FIRST_BITS) + 1)]
    return *parts, TablePart(OwnTable((*more, more[-1]), 0), shift, len(more) - 1)
