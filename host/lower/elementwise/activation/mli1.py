"""Activations and conversions of MLI 1.x as maps."""

from golden.mli1 import ConvertTensor, LeakyRelu, Rectify, Sigmoid
from hdl.isa import TABLES, Op, RoundMode, Table
from host.lower.elementwise.form import Map, Recipe
from host.lower.fields.shift import shift_fields

__all__ = ["TABLE_SHIFT_MAX", "describe", "table_fields"]

TABLE_SHIFT_MAX = 15  #: Bits of the argument that take part between two entries.


def describe(layer, x):
    """The ``Recipe`` of a layer for a Tensor like ``x``."""
    if isinstance(layer, LeakyRelu):
        return _leaky_relu(layer)
    if isinstance(layer, Rectify):
        fields = {"clip": layer.relu.limits(x.frac_bits, x.bits)}
    elif isinstance(layer, ConvertTensor):
        fields = shift_fields(x.frac_bits - layer.frac_bits, layer.rounding)
    else:
        table  = Table.SIGM if isinstance(layer, Sigmoid) else Table.TANH
        fields = table_fields(table, x.frac_bits, layer.rounding)
    return Recipe((Map.of(1, output=fields),))


def table_fields(table, frac_bits, rounding):
    """Fields of a look-up at ``element / 2**frac_bits``: cut to what the table takes, or widened
    to 16 bits."""
    shift  = frac_bits - TABLES[table].frac_bits
    before = shift - min(max(shift, 0), TABLE_SHIFT_MAX)
    return {"clip": (-(1 << 15), (1 << 15) - 1), **shift_fields(before, RoundMode.FLOOR),
            "table": table, "table_shift": shift - before, "table_rounding": rounding}


def _leaky_relu(layer):
    """``slope * x`` to the output, then the larger or smaller of that and ``x``."""
    slope = layer.slope
    op    = Op.MAX if layer.takes_larger else Op.MIN
    return Recipe((Map.of(slope.data.item(), output=shift_fields(slope.frac_bits, layer.rounding)),
                   Map.of(1, 1, reads=("a", "out"), output={"op": op})))
