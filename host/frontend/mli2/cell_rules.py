# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 recurrent cell arithmetic on 16-bit vectors, as Requantisers.

SA_8 vectors exclude their zero point, so that either factor in a product can be SA_8.
"""

from dataclasses import dataclass, replace

import numpy as np

from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli2 import Affine, Element, Eltwise, Fixed, QuantTensor
from xymac.golden.parameters.mli2.activation import argument_frac_bits
from xymac.golden.parameters.mli2.eltwise import product_scale, sum_scales
from xymac.hdl.isa import ELEMENT_BITS, OWN_TABLES, AccumulatorRange, RoundMode, Scale
from xymac.host.ir.fields import container_clip, shift_fields
from xymac.host.ir.recurrent.rounded_cells import Gate, Total
from xymac.host.ir.requantiser import Requantiser
from xymac.host.ir.sums import first_record
from xymac.host.memory.tables import OwnTable

from .own_tables import affine_fields, byte_values, direct_fields, fixed_fields, table_of_bytes
from .table import CODES, affine_argument, table_fields

__all__ = ["Rules", "blank"]

_WORD_BITS = 14       #: Largest left shift by a weight, bits;
_SPLIT     = 2        #: beyond it, ``2**_SPLIT`` weights share the shift.
_PLACES    = 16       #: Largest binary point distance of two addends that weights align,
_FAR       = 17       #: and the distance left after an addend with a larger distance is clipped.
_WIDE      = 16
_LEFT_MAX  = 17       #: Left shift that saturates every element but 0,
_ZERO      = 31       #: and right shift that clears every product of two elements.


def blank(kind, bits):
    """Single-element QuantTensor in an MLI 2.0 format."""
    element = Element.SA_8 if isinstance(kind, Affine) else {8: Element.FX_8,
                                                             16: Element.FX_16}[bits]
    return QuantTensor(np.zeros(1, element.dtype), element, kind)


@dataclass(frozen=True)
class Rules:
    """Requantisers for a cell with the Build ``build``; ``affine``: its elements are SA_8."""

    build:  object
    affine: bool

    def kind_of(self, act):
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

    def restored(self, kind):
        """From a vector to elements with their zero point."""
        return Requantiser(_WIDE, (), {"zero": kind.zero_point if self.affine else 0,
                                       "clip": self.limits(kind)})

    def product(self, kinds, out, *others):
        """For products of elements in two formats; the clip also covers the formats ``others``."""
        fields = {"clip": self.limits(out, *others), "rounding": self.build.rounding}
        if self.affine:
            layer = Eltwise(EltwiseOp.MUL, out, self.build)
            multiplier, early, shift = product_scale(layer, *(blank(kind, 8) for kind in kinds))
            return self._scaled(multiplier, shift, early, **fields)
        shift = sum(kind.frac_bits for kind in kinds) - out.frac_bits
        return Requantiser(_WIDE, (), fields | shift_fields(min(shift, 2 * _WIDE - 1),
                                                            self.build.rounding))

    def _scaled(self, multiplier, shift, early=0, **fields):
        """For 16-bit elements times a factor."""
        if shift >= _ZERO:
            multiplier, shift = 0, 0
        left   = min(max(-shift, 0), _LEFT_MAX)
        record = first_record(max(min(multiplier << left, 1 << _LEFT_MAX), 0), early,
                              max(shift, 0))
        return Requantiser(_WIDE, (record, 0), {"scale": Scale.BITS16, **fields})

    def total(self, kinds, out):
        """The ``Total`` for vectors in two formats."""
        return (self._affine_total if self.affine else self._fixed_total)(kinds, out)

    def _fixed_total(self, kinds, out):
        fracs  = [kind.frac_bits for kind in kinds]
        shift  = min(max(fracs) - out.frac_bits, 2 * _WIDE - 1)
        # A larger left shift moves every nonzero element beyond the 16-bit output, or saturates 32
        # bits.
        places = [min(max(fracs) - frac, max(shift, 0) + _WIDE, 31) for frac in fracs]
        words  = [[1 << place] for place in places]
        if max(places) > _WORD_BITS:
            words = [[1 << place - _SPLIT] * (1 << _SPLIT) if place else [1, 0, 0, 0]
                     for place in places]
        before = [None, None]
        if max(places) > _PLACES:
            number = int(places[1] > 0)
            reach  = 1 << 31 - _FAR
            before[number] = -1, Requantiser(_WIDE, (), {"shift": _FAR - max(places),
                                                         "clip": (-reach, reach)})
            words[number]  = [-1 << _FAR - _SPLIT] * (1 << _SPLIT)
        return Total(tuple(before), tuple(map(tuple, words)), Requantiser(_WIDE, (), {
            "acc_range": AccumulatorRange.BITS40, "clip": self.limits(out),
            **shift_fields(shift, self.build.rounding)}))

    def _affine_total(self, kinds, out):
        """Total for SA_8 vectors; an operand whose scale factor is not 1 is first rescaled.

        The other operand is within the output limits. If a rescaled operand saturates at 16 bits,
        every sum with it is outside the 256 output values.
        """
        layer, before = Eltwise(EltwiseOp.ADD, out, self.build), []
        for multiplier, shift in sum_scales(layer, *(blank(kind, 8) for kind in kinds)):
            exact = shift >= 0 and multiplier == 1 << shift
            before.append(None if exact else (1, self._scaled(
                multiplier, shift, rounding=self.build.rounding, clip=container_clip(_WIDE))))
        return Total(tuple(before), ((1,), (1,)), Requantiser(_WIDE, (), {
            "clip": self.limits(out)}))

    def gate(self, act, kind):
        """The ``Gate`` for an activation of sums in the format ``kind``."""
        table, mode = act.table, self.build.rounding
        if not self.affine:
            return Gate(self._fixed_look(table, kind))
        frac_bits = argument_frac_bits(table)
        shift     = kind.scale_frac_bits - frac_bits
        if shift > 0 or 128 * kind.scale << -shift > 1 << ELEMENT_BITS - 1:
            return Gate(self._byte_look(table, kind), narrow=self._narrow(act))
        look = {"table_shift": frac_bits - table.frac_bits, "table_rounding": mode,
                "rounding": RoundMode.FLOOR, "shift": shift}
        unit = kind.scale if look["table_shift"] else 1
        return Gate(self._coded(table, **look), unit, self._narrow(act))

    def activation(self, act, kind):
        """The ``Gate`` for an activation of a vector in the format ``kind``."""
        table, mode = act.table, self.build.rounding
        if not self.affine:
            return Gate(self._fixed_look(table, kind))
        if table in CODES:
            record, fields = affine_argument(table, CODES[table], kind, mode)
            return Gate(Requantiser(_WIDE, (record, 0), fields), narrow=self._narrow(act))
        scaled = affine_fields(table, kind, mode, self.limits(kind))
        if scaled is None:
            look = replace(self._byte_look(table, kind), records=(kind.zero_point,))
            return Gate(look, narrow=self._narrow(act))
        record, fields = scaled
        return Gate(replace(self._coded(table, **fields), records=(record, 0)),
                    narrow=self._narrow(act))

    @staticmethod
    def _coded(table, **fields):
        """Look-up in a core table, or in the program's own table."""
        if table in CODES:
            return Requantiser(_WIDE, (), fields | {"table": CODES[table]})
        return Requantiser(_WIDE, (), fields | {"table": OWN_TABLES[0]},
                           (OwnTable(table.values, table.offset),))

    def _fixed_look(self, table, kind):
        """Look-up for FX elements."""
        if table in CODES:
            return Requantiser(_WIDE, (), table_fields(CODES[table], kind.frac_bits,
                                                       self.build.rounding))
        fields, own = fixed_fields(table, kind.frac_bits, self.build.rounding)
        return Requantiser(_WIDE, (), fields | {"table": OWN_TABLES[0]}, (own,))

    def _byte_look(self, table, kind):
        """Look-up with SA_8 elements directly as the argument.

        A table with the library's result per element replaces arguments that could exceed an
        element's width.
        """
        mode = self.build.rounding
        own  = table_of_bytes(table, kind, mode, byte_values(kind))
        return Requantiser(_WIDE, (), direct_fields(mode) | {"table": OWN_TABLES[0]},
                           (replace(own, offset=-container_clip(8)[0]),))

    def _narrow(self, act):
        """From look-up results to SA_8, minus the zero point."""
        return Requantiser(_WIDE, (), {"shift": _WIDE - 1 - act.out.scale_frac_bits,
                                       "rounding": self.build.rounding,
                                       "clip": self.limits(act.out)})
