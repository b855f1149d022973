# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 recurrent cell arithmetic on 16-bit vectors, as pass fields.

SA_8 vectors are stored minus their zero point, so that either factor in a product can be SA_8.
"""

from dataclasses import dataclass, replace

import numpy as np

from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli2 import Affine, Element, Eltwise, Fixed, QuantTensor
from xymac.golden.parameters.mli2.activation import argument_frac_bits
from xymac.golden.parameters.mli2.eltwise import product_scale, sum_scales
from xymac.hdl.isa import (
    BANKS,
    ELEMENT_BITS,
    AccumulatorRange,
    Pass,
    RoundMode,
    Scale,
    Shape,
    Width,
)
from xymac.host.frontend.mli2.own_tables import (
    affine_fields,
    byte_values,
    direct_fields,
    fixed_fields,
    table_of_bytes,
)
from xymac.host.frontend.mli2.table import CODES, affine_argument, table_fields
from xymac.host.ir.fields import container_clip, shift_fields
from xymac.host.ir.sums import first_record
from xymac.host.memory.tables import OwnTable

__all__ = ["GateMath", "blank"]

_WORD_BITS = 14       #: Largest left shift by a weight, bits;
_SPLIT     = 2        #: beyond it, ``2**_SPLIT`` weights share the shift.
_PLACES    = 16       #: Largest binary point distance of two addends that weights align,
_FAR       = 17       #: and the distance left after an addend with a larger distance is clipped.
_WIDE      = 16
_LEFT_MAX  = 17       #: Left shift that saturates every element but 0,
_ZERO      = 31       #: and right shift that clears every product of two elements.


def blank(kind, bits):
    """One-element QuantTensor in an MLI 2.0 format."""
    element = Element.SA_8 if isinstance(kind, Affine) else {8: Element.FX_8,
                                                             16: Element.FX_16}[bits]
    return QuantTensor(np.zeros(1, element.dtype), element, kind)


@dataclass(frozen=True)
class GateMath:
    """Passes over vectors.

    Parameters
    ----------
    space : Workspace
    build : Build
    tiles : int, tiles per vector
    affine : bool, whether elements are SA_8
    """

    space:  object
    build:  object
    tiles:  int
    affine: bool

    def format_of(self, act):
        """An activation's output format."""
        return act.out if self.affine else Fixed(_WIDE - 1)

    def limits(self, *kinds):
        """(low, high) element limits over all formats ``kinds``."""
        low, high = container_clip(_WIDE)
        if not self.affine:
            return low, high
        limits = [[min(max(limit - kind.zero_point, low), high) for limit in container_clip(8)]
                 for kind in kinds]
        return min(first for first, _ in limits), max(last for _, last in limits)

    def element_pass(self, x, **fields):
        """Elementwise pass over the vector of Tiles ``x``, an output per tile, to ``fields["to"]``.
        """
        to, count = fields.pop("to", None), fields.pop("tiles", self.tiles)
        place = {} if to is None else to.output(0, loop=2)
        return Pass(**{"outer": (1, 1, count), "x": x.groups(0, loop=2), "x_shape": Shape.LANES,
                       "y_shape": Shape.LANES, "x_width": Width.BITS16, "y_width": Width.BITS16,
                       "z_width": Width.BITS16, "clip": container_clip(_WIDE)} | place | fields)

    def move(self, x, to, **fields):
        """Passes to copy a vector; ``fields`` may narrow it."""
        return [self.element_pass(x, to=to, y=self.space.word(1), **fields)]

    def product(self, x, y, kinds, out, to, *others):
        """Passes to multiply a vector in X by a vector in Y, with formats ``kinds`` and result
        format ``out``.

        The clip also covers the formats ``others``.
        """
        fields = {"y": y.words(0, loop=2), "clip": self.limits(out, *others), "to": to,
                  "rounding": self.build.rounding}
        if self.affine:
            a, b  = (blank(kind, 8) for kind in kinds)
            layer = Eltwise(EltwiseOp.MUL, out, self.build)
            multiplier, early, shift = product_scale(layer, a, b)
            return [self.element_pass(x, **fields, **self._scale(multiplier, shift, early))]
        shift = sum(kind.frac_bits for kind in kinds) - out.frac_bits
        return [self.element_pass(x, **fields | shift_fields(min(shift, 2 * _WIDE - 1),
                                                             self.build.rounding))]

    def _scale(self, multiplier, shift, early=0):
        """Fields for a scaled pass over 16-bit elements."""
        if shift >= _ZERO:
            multiplier, shift = 0, 0
        left   = min(max(-shift, 0), _LEFT_MAX)
        record = first_record(max(min(multiplier << left, 1 << _LEFT_MAX), 0), early,
                              max(shift, 0))
        return {"scale": Scale.BITS16, "bias_row": self.space.records(record, 0)}

    def total(self, a, b, kinds, out, targets):
        """Passes to write the sum of two vectors in X to each of ``targets``; ``b`` is after ``a``.
        """
        return (self._affine_total if self.affine else self._fixed_total)(a, b, kinds, out, targets)

    def _fixed_total(self, a, b, kinds, out, targets):
        fracs  = [kind.frac_bits for kind in kinds]
        shift  = min(max(fracs) - out.frac_bits, 2 * _WIDE - 1)
        # A larger left shift moves every nonzero element beyond the 16-bit output, or saturates 32
        # bits.
        places = [min(max(fracs) - frac, max(shift, 0) + _WIDE, 31) for frac in fracs]
        rows   = [[1 << place] for place in places]
        if max(places) > _WORD_BITS:
            rows = [[1 << place - _SPLIT] * (1 << _SPLIT) if place else [1, 0, 0, 0]
                    for place in places]
        passes = []
        if max(places) > _PLACES:
            number = int(places[1] > 0)
            reach, far = 1 << 31 - _FAR, (a, b)[number]
            passes.append(self.element_pass(far, to=far, y=self.space.word(-1),
                                            shift=_FAR - max(places), clip=(-reach, reach)))
            rows[number] = [-1 << _FAR - _SPLIT] * (1 << _SPLIT)
        return passes + self._sums(a, b, rows, targets, acc_range=AccumulatorRange.BITS40,
                                   clip=self.limits(out),
                                   **shift_fields(shift, self.build.rounding))

    def _affine_total(self, a, b, kinds, out, targets):
        """Passes to sum SA_8 vectors; an operand whose scale factor is not 1 is first rescaled in
        place.

        The other operand is within the output limits. If a rescaled operand saturates at 16 bits,
        every sum with it is outside the 256 output values.
        """
        layer, passes = Eltwise(EltwiseOp.ADD, out, self.build), []
        likes  = [blank(kind, 8) for kind in kinds]
        for vector, (multiplier, shift) in zip((a, b), sum_scales(layer, *likes), strict=True):
            if shift >= 0 and multiplier == 1 << shift:
                continue
            passes.append(self.element_pass(vector, to=vector, y=self.space.word(1),
                                            rounding=self.build.rounding,
                                            **self._scale(multiplier, shift)))
        return passes + self._sums(a, b, [[1], [1]], targets, clip=self.limits(out))

    def _sums(self, a, b, rows, targets, **fields):
        """Passes to add two vectors, each element multiplied by all words in its row."""
        count = len(rows[0])
        word  = self.space.word(*[value for row in rows for value in row])
        both  = replace(a.groups(0, loop=2), high=b.high, taps=(0, b.base - a.base, 0))
        word  = replace(word, taps=(0, count, int(count > 1)))
        return [replace(self.element_pass(a, to=to, y=word, **fields), x=both, taps=(1, 2, count))
                for to in targets]

    def look_up(self, act, kind, fields, raw, to):
        """(fields, passes): fields of the last sum pass with its look-up, and the passes after it.

        ``fields(place, look-up)`` returns the fields for sums in the format ``kind``. For SA_8, the
        Tiles ``raw`` receive the look-up result first.
        """
        table, mode = act.table, self.build.rounding
        if not self.affine:
            return fields(to.output(0), self._fixed_fields(table, kind)), []
        frac_bits = argument_frac_bits(table)
        shift     = kind.scale_frac_bits - frac_bits
        if shift > 0 or 128 * kind.scale << -shift > 1 << ELEMENT_BITS - 1:
            look_up = self._byte_fields(table, kind)
        else:
            look_up = {"table": self._code(table), "table_shift": frac_bits - table.frac_bits,
                       "table_rounding": mode, "rounding": RoundMode.FLOOR, "shift": shift}
        return fields(raw.output(0), look_up), self._narrow(act, raw, to)

    def activate(self, act, x, kind, raw, to):
        """Passes to apply an activation to a vector in X with format ``kind``; see ``look_up``."""
        table, mode = act.table, self.build.rounding
        if not self.affine:
            return [self.element_pass(x, to=to, y=self.space.word(1),
                                      **self._fixed_fields(table, kind))]
        records, fields = self._affine_fields(table, kind, mode)
        looked = self.element_pass(x, to=raw, y=self.space.word(1), **fields,
                                   bias_row=self.space.records(*records))
        return [looked, *self._narrow(act, raw, to)]

    def _code(self, table):
        """Table code: a core table, or an own table of the program."""
        return CODES.get(table) or self.space.table(OwnTable(table.values, table.offset))

    def _fixed_fields(self, table, kind):
        """Look-up fields for FX elements."""
        if table in CODES:
            return table_fields(CODES[table], kind.frac_bits, self.build.rounding)
        fields, own = fixed_fields(table, kind.frac_bits, self.build.rounding)
        return fields | {"table": self.space.table(own)}

    def _affine_fields(self, table, kind, mode):
        """(parameters, look-up fields) for SA_8 elements minus their zero point."""
        if table in CODES:
            record, fields = affine_argument(table, CODES[table], kind, mode)
            return (record, 0), fields
        low, high = self.limits(kind)
        scaled    = affine_fields(table, kind, mode, (low, high))
        if scaled is None:
            return (kind.zero_point,), self._byte_fields(table, kind)
        record, fields = scaled
        return (record, 0), fields | {"table": self._code(table)}

    def _byte_fields(self, table, kind):
        """Look-up fields with SA_8 elements directly as the argument.

        A table with the library's result per element replaces arguments that could exceed an
        element's width.
        """
        mode = self.build.rounding
        own  = table_of_bytes(table, kind, mode, byte_values(kind))
        return direct_fields(mode) | {
            "table": self.space.table(replace(own, offset=-container_clip(8)[0]))}

    def _narrow(self, act, raw, to):
        """Passes to round a look-up result to SA_8, minus the zero point."""
        shift = _WIDE - 1 - act.out.scale_frac_bits
        tiles = (to.high - to.low + 1) // BANKS
        return self.move(raw, to, shift=shift, rounding=self.build.rounding, tiles=tiles,
                          clip=self.limits(act.out))
