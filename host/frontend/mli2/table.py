# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 lookups in core tables as Pass fields."""

from dataclasses import replace

from xymac.golden.mli2 import L2Normalize, Sigmoid, Softmax, Tanh
from xymac.golden.parameters.mli2.activation import argument_frac_bits
from xymac.hdl.isa import (
    ELEMENT_BITS,
    OWN_TABLES,
    SHIFT_MAX,
    SHIFT_MIN,
    TABLES,
    RoundMode,
    Scale,
    Table,
)
from xymac.host.ir.fields import affine_clip, container_clip
from xymac.host.ir.sums import first_record
from xymac.host.ir.table import TableForm
from xymac.host.memory.tables import OwnTable

from .own_tables import affine_fields, byte_values, direct_fields, fixed_fields, table_of_bytes

__all__ = ["CODES", "FORMS", "affine_argument", "form_of", "table_fields"]

#: Core tables, by the table of a golden layer.
CODES = {Sigmoid.table: Table.SIGM_FINE, Tanh.table: Table.TANH_FINE,
         Softmax.table: Table.EXP_FINE, L2Normalize.table: Table.ROOT}

_SHIFT_MAX  = 15  #: Argument bits used for interpolation,
_BEFORE_MAX = 15  #: and largest number of bits dropped before it.
_POST_MAX   = 63
_BEYOND     = 19  #: Factor width from which every argument except 0 is outside a table.
_STEP       = 2   #: Bits between two entries where only the entries themselves count.
_WIDE       = 16  #: Width of a table value.


def form_of(layer, x):
    """A layer's TableForm for a QuantTensor like ``x``."""
    table, mode = CODES.get(layer.table), layer.build.rounding
    if table is None:
        return _own_form(layer, x)
    if not x.is_affine:
        return TableForm(x.bits, table_fields(table, x.format.frac_bits, mode))
    record, look_up = affine_argument(layer.table, table, x.format, mode)
    return _affine_form(layer, x, look_up, (record, -x.format.zero_point))


def _own_form(layer, x):
    """TableForm for a table missing in the core."""
    table, mode, code = layer.table, layer.build.rounding, {"table": OWN_TABLES[0]}
    if not x.is_affine:
        fields, own = fixed_fields(table, x.format.frac_bits, mode)
        return TableForm(x.bits, fields | code, tables=(own,))
    scaled = affine_fields(table, x.format, mode, byte_values(x.format))
    if scaled is None:
        own = table_of_bytes(table, x.format, mode, byte_values(x.format), layer.out)
        own = replace(own, offset=own.offset - x.format.zero_point)  # for raw elements
        return TableForm(x.bits, direct_fields(mode) | code, tables=(own,))
    record, fields = scaled
    form = _affine_form(layer, x, fields | code, (record, -x.format.zero_point))
    return replace(form, tables=(OwnTable(table.values, table.offset),))


def _affine_form(layer, x, look_up, records):
    """TableForm for a scaled lookup, with the rounding to SA_8."""
    mode  = layer.build.rounding
    shift = _WIDE - 1 - layer.out.scale_frac_bits
    if shift == _WIDE - x.bits:  # shift of a lookup's rounding
        return TableForm(x.bits, look_up, records)
    return TableForm(_WIDE, look_up, records, {
        "shift": shift, "rounding": mode,
        **affine_clip(container_clip(x.bits), layer.out.zero_point)})


FORMS = {Sigmoid: form_of, Tanh: form_of}


def table_fields(table, frac_bits, rounding):
    """Fields for a lookup at ``element / 2**frac_bits``.

    If the argument has no more fraction bits than the table, the result is the entry itself, up to
    the last entry. The last entry is the end of the line from the previous entry, which is 0 or 1
    lower; there the argument is clipped just below it.
    """
    samples = TABLES[table]
    shift   = frac_bits - samples.frac_bits
    low, high = container_clip(ELEMENT_BITS)
    if shift <= 0:
        last   = len(samples.values) - 1 - samples.offset
        before, shift, high = shift - _STEP, _STEP, (last << _STEP) - 1
    else:
        before = min(max(shift - _SHIFT_MAX, 0), _BEFORE_MAX)
    return {"clip": (low, high), "table": table, "table_shift": min(shift, _SHIFT_MAX),
            "table_rounding": rounding, "rounding": RoundMode.FLOOR,
            "shift": min(max(before, SHIFT_MIN), SHIFT_MAX)}


def affine_argument(golden_table, table, kind, rounding):
    """First record and fields for a scaled pass looking up elements minus their zero point.

    Beyond the table an SA_8 output does not distinguish neighbours, so arguments beyond 18 bits may
    saturate earlier than in the library. A tie at its 32-bit limit turns argument 0 into 1.
    """
    frac_bits  = argument_frac_bits(golden_table)
    shift      = kind.scale_frac_bits - frac_bits
    multiplier = min(kind.scale << min(max(-shift, 0), _BEYOND), 1 << _BEYOND)
    fields = {"scale": Scale.BITS32, "rounding": rounding, "table": table,
              "table_shift": frac_bits - TABLES[table].frac_bits, "table_rounding": rounding,
              "clip": container_clip(ELEMENT_BITS)}
    return first_record(multiplier, 0, min(max(shift, 0), _POST_MAX)), fields
