# SPDX-License-Identifier: Apache-2.0
"""Steps of a recurrent cell of MLI 2.0 on vectors of 16-bit elements, as fields of passes.

SA_8 vectors are less their zero point, so that they may be factors on either side.
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

_WORD_BITS = 14       #: Places to the left that a weight can move an element;
_SPLIT     = 2        #: beyond them it takes it so often, in bits.
_PLACES    = 16       #: Distance of the binary points of two operands of a sum that weights bridge,
_FAR       = 17       #: and what is left of a larger one, for an operand that is limited before.
_WIDE      = 16
_LEFT_MAX  = 17       #: Left shift that saturates every element but 0,
_ZERO      = 31       #: and the right shift that makes 0 of every product of two elements.


def blank(kind, bits):
    """QuantTensor of one element in a format of MLI 2.0."""
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
    tiles : int, of a vector
    affine : bool, whether elements are SA_8
    """

    space:  object
    build:  object
    tiles:  int
    affine: bool

    def format_of(self, act):
        """Format of what an activation returns."""
        return act.out if self.affine else Fixed(_WIDE - 1)

    def limits(self, *kinds):
        """Limits of elements of a format, or of any of some formats."""
        low, high = container_clip(_WIDE)
        if not self.affine:
            return low, high
        limits = [[min(max(limit - kind.zero_point, low), high) for limit in container_clip(8)]
                 for kind in kinds]
        return min(first for first, _ in limits), max(last for _, last in limits)

    def element_pass(self, x, **fields):
        """Pass over the vector of Tiles ``x`` by lanes, an output each, to ``fields["to"]``."""
        to, count = fields.pop("to", None), fields.pop("tiles", self.tiles)
        place = {} if to is None else to.output(0, loop=2)
        return Pass(**{"outer": (1, 1, count), "x": x.groups(0, loop=2), "x_shape": Shape.LANES,
                       "y_shape": Shape.LANES, "x_width": Width.BITS16, "y_width": Width.BITS16,
                       "z_width": Width.BITS16, "clip": container_clip(_WIDE)} | place | fields)

    def move(self, x, to, **fields):
        """Passes that bring a vector elsewhere; ``fields`` may narrow it."""
        return [self.element_pass(x, to=to, y=self.space.word(1), **fields)]

    def product(self, x, y, kinds, out, to, *others):
        """Passes of the product of vectors in X and in Y of formats ``kinds`` in the format
        ``out``; within the limits of the formats ``others`` as well."""
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
        """Fields of a scaled pass of elements of 16 bits."""
        if shift >= _ZERO:
            multiplier, shift = 0, 0
        left   = min(max(-shift, 0), _LEFT_MAX)
        record = first_record(max(min(multiplier << left, 1 << _LEFT_MAX), 0), early,
                              max(shift, 0))
        return {"scale": Scale.BITS16, "bias_row": self.space.records(record, 0)}

    def total(self, a, b, kinds, out, targets):
        """Passes of the sum of two vectors in X, ``b`` behind ``a``, to each of ``targets``."""
        return (self._affine_total if self.affine else self._fixed_total)(a, b, kinds, out, targets)

    def _fixed_total(self, a, b, kinds, out, targets):
        fracs  = [kind.frac_bits for kind in kinds]
        shift  = min(max(fracs) - out.frac_bits, 2 * _WIDE - 1)
        # Farther to the left all but 0 is beyond 16 bits of the output, or saturates 32 bits.
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
        """An operand that is not whole in units of the output is scaled where it lies.

        The other one is within the limits of the output: what saturates 16 bits leaves the 256
        values between them, whatever is added.
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
        """Passes that add two vectors, each element times all of its words."""
        count = len(rows[0])
        word  = self.space.word(*[value for row in rows for value in row])
        both  = replace(a.groups(0, loop=2), high=b.high, taps=(0, b.base - a.base, 0))
        word  = replace(word, taps=(0, count, int(count > 1)))
        return [replace(self.element_pass(a, to=to, y=word, **fields), x=both, taps=(1, 2, count))
                for to in targets]

    def look_up(self, act, kind, fields, raw, to):
        """Fields of the last pass of sums that are looked up, and the passes behind it.

        ``fields(place, look-up)`` makes those fields, of the format ``kind``. Of SA_8 what is
        looked up goes to the Tiles ``raw`` first.
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
        """Passes of an activation of a vector in X of format ``kind``; see ``look_up``."""
        table, mode = act.table, self.build.rounding
        if not self.affine:
            return [self.element_pass(x, to=to, y=self.space.word(1),
                                      **self._fixed_fields(table, kind))]
        records, fields = self._affine_fields(table, kind, mode)
        looked = self.element_pass(x, to=raw, y=self.space.word(1), **fields,
                                   bias_row=self.space.records(*records))
        return [looked, *self._narrow(act, raw, to)]

    def _code(self, table):
        """Code of a table, one of the core or its own."""
        return CODES.get(table) or self.space.table(OwnTable(table.values, table.offset))

    def _fixed_fields(self, table, kind):
        """Fields of a look-up of FX elements."""
        if table in CODES:
            return table_fields(CODES[table], kind.frac_bits, self.build.rounding)
        fields, own = fixed_fields(table, kind.frac_bits, self.build.rounding)
        return fields | {"table": self.space.table(own)}

    def _affine_fields(self, table, kind, mode):
        """Records and fields of a look-up of SA_8 elements less their zero point."""
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
        """Fields of a look-up of SA_8 elements as they are, where arguments could have more bits
        than one has: in a table of what the library finds for each."""
        mode = self.build.rounding
        own  = table_of_bytes(table, kind, mode, byte_values(kind))
        return direct_fields(mode) | {
            "table": self.space.table(replace(own, offset=-container_clip(8)[0]))}

    def _narrow(self, act, raw, to):
        """Passes that round what was looked up to SA_8, less the zero point."""
        shift = _WIDE - 1 - act.out.scale_frac_bits
        tiles = (to.high - to.low + 1) // BANKS
        return self.move(raw, to, shift=shift, rounding=self.build.rounding, tiles=tiles,
                          clip=self.limits(act.out))
