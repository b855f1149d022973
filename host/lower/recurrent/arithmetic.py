# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of recurrent cells on 16-bit vectors, as passes with the fields of Requantisers."""

from dataclasses import dataclass, replace

from xymac.hdl.isa import BANKS, Pass, Shape, Width
from xymac.host.ir.fields import container_clip

__all__ = ["VectorMath"]


@dataclass(frozen=True)
class VectorMath:
    """Passes over vectors.

    Parameters
    ----------
    space : Workspace
    tiles : int, tiles per vector
    """

    space: object
    tiles: int

    def element_pass(self, x, **fields):
        """Elementwise pass over the vector of Tiles ``x``, an output per tile, to ``fields["to"]``.
        """
        to, count = fields.pop("to", None), fields.pop("tiles", self.tiles)
        place = {} if to is None else to.output(0, loop=2)
        return Pass(**{"outer": (1, 1, count), "x": x.groups(0, loop=2), "x_shape": Shape.LANES,
                       "y_shape": Shape.LANES, "x_width": Width.BITS16, "y_width": Width.BITS16,
                       "z_width": Width.BITS16, "clip": container_clip(16)} | place | fields)

    def move(self, x, to, **fields):
        """Passes to copy a vector."""
        return [self.element_pass(x, to=to, y=self.space.word(1), **fields)]

    def apply(self, x, rule, weight=1, **fields):
        """Passes to apply a Requantiser to a vector times ``weight``."""
        return [self.element_pass(x, y=self.space.word(weight), **self.space.fields(rule),
                                  **fields)]

    def product(self, x, y, rule, to):
        """Passes to multiply a vector in X by a vector in Y and apply a Requantiser."""
        return [self.element_pass(x, y=y.words(0, loop=2), to=to, **self.space.fields(rule))]

    def total(self, a, b, total, targets):
        """Passes to write the ``Total`` of two vectors in X to each of ``targets``; ``b`` is after
        ``a``.
        """
        passes = []
        for vector, first in zip((a, b), total.before, strict=True):
            if first is not None:
                passes += self.apply(vector, first[1], first[0], to=vector)
        count = len(total.words[0])
        word  = self.space.word(*[value for words in total.words for value in words])
        both  = replace(a.groups(0, loop=2), high=b.high, taps=(0, b.base - a.base, 0))
        word  = replace(word, taps=(0, count, int(count > 1)))
        return passes + [replace(self.element_pass(a, to=to, y=word, **total.last.fields), x=both,
                                 taps=(1, 2, count)) for to in targets]

    def look_up(self, gate, fields, raw, to):
        """(fields, passes): fields of the last sum pass with its look-up, and the passes after it.

        ``fields(place, look-up)`` returns the fields for the sums. If the results are narrowed, the
        Tiles ``raw`` receive them first.
        """
        look = self.space.fields(gate.look)
        if gate.narrow is None:
            return fields(to.output(0), look), []
        return fields(raw.output(0), look), self._narrow(gate, raw, to)

    def activate(self, gate, x, raw, to):
        """Passes to apply a ``Gate`` to a vector in X; see ``look_up``."""
        if gate.narrow is None:
            return self.apply(x, gate.look, to=to)
        return [*self.apply(x, gate.look, to=raw), *self._narrow(gate, raw, to)]

    def _narrow(self, gate, raw, to):
        return self.apply(raw, gate.narrow, to=to, tiles=(to.high - to.low + 1) // BANKS)
