# SPDX-License-Identifier: Apache-2.0
"""Passes for a softmax over a block of byte rows, with exact reciprocals.

1. All lanes find each row's largest element, see ``row_maxima``.
2. The differences from the largest element index ``ExactTables``; lookups write exponentials to
   X planes.
3. All lanes add up the row exponentials, and compute the sum's reciprocal.
4. A scaled pass multiplies the exponentials by it, and rounds as the library does.
"""

from dataclasses import replace

from xymac.hdl.isa import BANKS, Pass, RoundMode, Scale
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.memory.packing import width_of

from .exact_tables import COARSE_SUM
from .planes import WIDE
from .reciprocals import Reciprocals
from .row_block import RowBlock

__all__ = ["ExactBlock"]

_FINE, _COARSE, _REST, _PLANES = range(4)


class ExactBlock(RowBlock):
    """Passes over the first ``count`` input rows, and their workspace.

    Parameters
    ----------
    tables : ExactTables
    source, target, count, space : see ``RowBlock``
    """

    def __init__(self, tables, source, target, count, space):
        super().__init__(source, target, count, _PLANES, space)
        self._tables = tables
        self._reciprocals = Reciprocals(tables, count, self._of_sums, space)
        # Factors of ``coarse`` and ``rest`` in an exponential.
        self._join = replace(space.word(-1 << 15, 1, -1 << 15, 0), taps=(0, 2, 1))

    def make(self, *, loop):
        """All passes, which count from the first row; with ``loop`` some form a loop."""
        tables = self._tables
        return [*self._maxima.make(),
                *self._look_up({_FINE: tables.fine, _COARSE: tables.coarse, _REST: tables.rest},
                               tables.clip),
                self._hold_sums(_FINE, (1, -COARSE_SUM)), *self._reciprocals.make(loop=loop),
                *self._multiply()]

    def _multiply(self):
        """Passes writing the output."""
        bits = self._tables.bits
        for tiles, beats, first, _ in self._maxima.spans:
            step = BANKS * (tiles > 1)
            yield Pass(**WIDE | {
                "outer": (self._count, 1, tiles), "taps": (1, 2, 2), "beats": beats,
                "x": self._planes.access(_COARSE, 2, first, outer=(self._pitch, 0, step),
                                         taps=(0, 0, self._planes.size)),
                "y": self._join, "scale": Scale.BITS32, "rounding": RoundMode.TWICE,
                "bias_row": self._reciprocals.record, "clip": (0, (1 << bits) - 1),
                "zero": -1 << bits - 1, "z_width": width_of(bits),
                "z": RelativeAccess.to(self._target, Area.TARGET, offset=first,
                                       outer=(self._target.distance, 0, step))})
