# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 lookups in arbitrary tables, as Pass fields.

The core's own interpolation or argument can differ from the library's. For an entry without
interpolation, or an SA_8 argument that a pass cannot compute, the table is resampled, so that the
core reads entries only.
"""

from xymac.hdl.isa import ELEMENT_BITS, SHIFT_MIN, RoundMode, Scale
from xymac.host.ir.fields import container_clip
from xymac.host.ir.sums import first_record
from xymac.host.memory.tables import OwnTable

__all__ = ["affine_fields", "byte_values", "direct_fields", "fixed_fields", "table_of_bytes"]

_SHIFT_MAX  = 15  #: Argument bits used for interpolation,
_BEFORE_MAX = 15  #: and largest number of bits dropped before it.
_UNIT       = 8   #: Interpolation bits of an SA_8 argument.
_OUT        = 15  #: Fractional bits of an entry.
_WORD       = 1 << 31


def fixed_fields(table, frac_bits, rounding):
    """Fields for a lookup at ``element / 2**frac_bits`` but its code, and the OwnTable."""
    shift  = frac_bits - table.frac_bits
    fields = {"clip": container_clip(ELEMENT_BITS), "table_rounding": rounding,
              "rounding": RoundMode.FLOOR}
    if shift <= 0:
        return fields | {"table_shift": 0, "shift": max(shift, SHIFT_MIN)}, _whole_table(table)
    before = min(max(shift - _SHIFT_MAX, 0), _BEFORE_MAX)
    return (fields | {"table_shift": min(shift, _SHIFT_MAX), "shift": before},
            OwnTable(table.values, table.offset))


def _whole_table(table):
    """OwnTable read without interpolation; its last entry is repeated."""
    return OwnTable((*table.values, table.values[-1]), table.offset)


def direct_fields(rounding):
    """Fields for a lookup without interpolation, except the table code."""
    return {"clip": container_clip(ELEMENT_BITS), "table_shift": 0, "table_rounding": rounding,
            "rounding": RoundMode.FLOOR, "shift": 0}


def affine_fields(table, kind, rounding, values):
    """First record and fields, except the code, for a scaled lookup pass.

    The pass looks up elements of the Affine format ``kind`` minus their zero point. None if it
    would not be exact for some of ``values``.
    """
    shift  = kind.scale_frac_bits - _frac_bits(table)
    factor = kind.scale << max(-shift, 0)
    peak   = max(abs(value) for value in values) * factor
    half   = 1 << shift - 1 if 0 < shift < 32 else 0
    limit  = container_clip(ELEMENT_BITS)[1] << max(shift, 0)
    if peak + half >= min(_WORD, limit) or factor >= _WORD:
        return None
    fields = {"scale": Scale.BITS32, "rounding": rounding, "table_shift": _UNIT,
              "table_rounding": rounding, "clip": container_clip(ELEMENT_BITS)}
    return first_record(factor, 0, min(max(shift, 0), 63)), fields


def table_of_bytes(table, kind, rounding, values, out=None):
    """OwnTable with the library's results for ``values``.

    The last entry is repeated.

    Parameters
    ----------
    values : int range, SA_8 elements minus their zero point; the first has entry 0
    out : Affine format for SA_8 results, stored in the upper byte; None for 16-bit results
    """
    entries = [_find(table, kind, rounding, value) for value in values]
    if out is not None:
        entries = [_narrow(entry, rounding, out) << 8 for entry in entries]
    return OwnTable((*entries, entries[-1]), -values[0])


def _frac_bits(table):
    """Fractional bits of an SA_8 argument."""
    return _UNIT + table.frac_bits


def _find(table, kind, rounding, value):
    shift = kind.scale_frac_bits - _frac_bits(table)
    place, part = divmod(_divide(value * kind.scale, shift, rounding), 1 << _UNIT)
    index = min(max(place + table.offset, 0), len(table.values) - 2)
    here, there = table.values[index:index + 2]
    return _wrap(here - _divide(_wrap(here - there) * part, _UNIT, rounding))


def _narrow(entry, rounding, out):
    shifted = _divide(entry, _OUT - out.scale_frac_bits, rounding)
    return min(max(shifted + out.zero_point, -128), 127)


def _divide(value, shift, rounding):
    """``value / 2**shift`` as the library rounds it at 32 bits."""
    if shift <= 0:
        return min(max(value << min(-shift, 63), -_WORD), _WORD - 1)
    if shift >= 32:
        return 0
    half = 1 << shift - 1
    if rounding is RoundMode.UP:
        return min(value + half, _WORD - 1) >> shift
    whole, rest = value >> shift, value & (1 << shift) - 1
    return whole + (rest > half or (rest == half and whole % 2))


def _wrap(value):
    return (value + (1 << 15)) % (1 << 16) - (1 << 15)


def byte_values(kind):
    """Every SA_8 element minus the Affine zero point in ``kind``."""
    return range(-128 - kind.zero_point, 128 - kind.zero_point)
