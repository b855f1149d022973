# SPDX-License-Identifier: Apache-2.0
"""Decoding: program memory words to passes."""

from amaranth import Shape
from amaranth.lib import data

from .codes import Op, Reduce, Table
from .encoding import FIELDS, PASS_WORDS, Encoded, pack_words
from .groups import Access, Axis
from .passes import Pass

__all__ = ["unpack_words"]

_WORD_BITS  = 64
_DERIVED    = {"bias", "own", "ranks", "x", "y", "z", "rows", "cols", "table", "reduce", "bias_row"}
_FLAGS      = {"wait", "last", "fresh", "anchored", "inverted", "hold", "resume", "addend", "once"}
_TABLE_BITS = 3
_FOLD_BITS  = 2
_NO_WINDOW  = (1 << 17) - 1


def unpack_words(words):
    """Decode a pass's words into a ``Pass``, the inverse of ``pack_words``.

    ValueError for words that no ``Pass`` encodes to.
    """
    if len(words) != PASS_WORDS:
        raise ValueError(f"A pass has {PASS_WORDS} words, not {len(words)}")
    bits   = sum(int(word) << _WORD_BITS * index for index, word in enumerate(words))
    fields = _decode(Encoded, bits)
    columns = fields["taps"][1] if Op(fields["op"]) is Op.SLIDE else 0
    values = {name: bool(fields[name]) if name in _FLAGS else fields[name]
              for name in FIELDS if name not in _DERIVED}
    pass_ = Pass(
        **values, x=_operand(fields["x"], columns), y=_operand(fields["y"], columns),
        z=_access(fields["z"]),
        rows=Axis(**fields["rows"]), cols=Axis(**fields["cols"]),
        bias_row=fields["bias_row"] if fields["bias"] else None,
        table=Table(fields["table"] | fields["own"] << _TABLE_BITS),
        reduce=Reduce(fields["reduce"] | fields["ranks"] << _FOLD_BITS))
    if pack_words(pass_) != [int(word) for word in words]:
        raise ValueError("The words do not encode a pass")
    return pass_


def _decode(shape, bits):
    """Decode the lowest bits as ``shape``: a dict, tuple, Enum member or int."""
    if isinstance(shape, data.StructLayout):
        return {key: _decode(field.shape, bits >> field.offset) for key, field in shape}
    if isinstance(shape, data.ArrayLayout):
        return tuple(_decode(field.shape, bits >> field.offset) for _, field in shape)
    held  = Shape.cast(shape)
    value = bits & (1 << held.width) - 1
    if isinstance(shape, type):
        return shape(value)
    return value - (1 << held.width) if held.signed and value >> held.width - 1 else value


def _operand(fields, columns):
    """X or Y access; ``columns`` is the tap column count of a ``SLIDE``, else 0."""
    agu, taps = fields["agu"], fields["taps"]
    if columns:
        taps = taps[1], taps[0], taps[2]
        agu  = agu | {"start": agu["start"] - (columns - 1) * taps[1]}
    return _access(agu, taps)


def _access(fields, taps=(0, 0, 0)):
    low  = fields["low"]
    high = low - 1 if fields["high"] == _NO_WINDOW else low + fields["high"]
    return Access(fields["start"] + low, low, high, fields["outer"], taps, fields["mode"],
                  fields["move"])
