"""Softmax of MLI 1.x."""

from hdl.isa import TABLES, Adjust, RoundMode, Table
from host.lower.elementwise.activation.mli1 import TABLE_SHIFT_MAX
from host.lower.fields.shift import shift_fields

from .form import Shares

__all__ = ["describe"]


def describe(layer, x):
    """The ``Shares`` of a layer for a Tensor like ``x``."""
    powers = {"table": Table.EXP, "table_rounding": layer.rounding, **_exponents(x.frac_bits)}
    return Shares(True, (powers,), x.bits, shift_fields(16 - x.bits, layer.rounding))


def _exponents(frac_bits):
    """Fields of a look-up of ``exp(element / 2**frac_bits)``.

    Halved elements have one bit less behind the point; what that shortens is the table's shift,
    or beyond its limits the shift before.
    """
    shift  = frac_bits - TABLES[Table.EXP].frac_bits
    inside = min(max(shift, 0), TABLE_SHIFT_MAX)
    return {"clip": (-(1 << 15), (1 << 15) - 1), "table_shift": inside,
            "adjust": Adjust.TABLE if 0 < shift <= TABLE_SHIFT_MAX else Adjust.SHIFT,
            **shift_fields(shift - inside, RoundMode.FLOOR)}
