# SPDX-License-Identifier: Apache-2.0
"""Pass encoding: bit layout in program memory, and 64-bit words."""

from amaranth import Cat, signed, unsigned
from amaranth.lib import data

from .codes import (
    AccumulatorRange,
    Adjust,
    AguMode,
    Memory,
    Move,
    Op,
    RoundMode,
    Scale,
    Shape,
    Width,
)
from .groups import Axis
from .passes import fields_of
from .refusals import (
    check_held,
    check_reduced,
    check_reordered,
    check_scaled,
    check_shared,
    check_slid,
)
from .sizes import ADDRESS_BITS, ELEMENT_BITS, FLOOR_MAX

__all__ = ["FIELDS", "PASS_WORDS", "Encoded", "pack", "pack_words", "reduce_of", "table_of"]

PASS_WORDS = 16  #: 64-bit words of an encoded pass.
_CODE_BITS = 3   # table code, without the bit ``own`` for host-written tables
_FOLD_BITS = 2   # reduction code, without the bit ``ranks`` for the heap

_RELATIVE = signed(ADDRESS_BITS)
_STRIDES  = data.ArrayLayout(signed(16), 3)
_COUNTS   = data.ArrayLayout(unsigned(16), 3)
_AXIS     = data.StructLayout({"pad": unsigned(16), "step": unsigned(16), "size": unsigned(16)})
#: Distance of the first valid tap from tap 0 at the first output, and its decrement per step.
_CLIP     = data.StructLayout({"start": _RELATIVE, "step": _RELATIVE})
_ACCESS   = data.StructLayout({
    "mode": AguMode, "move": Move, "order": unsigned(5), "start": _RELATIVE, "low": unsigned(16),
    "high": unsigned(17), "outer": _STRIDES})
_OPERAND  = data.StructLayout({
    "agu": _ACCESS, "taps": _STRIDES, "last": _RELATIVE, "rows": _CLIP, "cols": _CLIP})

#: The encoded pass. ``start`` is ``base - low``, ``high`` is ``high - low``. The encoder derives
#: ``order``, ``last`` (highest relative start address of an access), ``rows`` and ``cols``.
Encoded = data.StructLayout({
    "op": Op, "wait": 1, "last": 1, "bias": 1,
    "x_shape": Shape, "y_shape": Shape, "x_width": Width, "y_width": Width, "z_width": Width,
    "z_memory": Memory, "rounding": RoundMode, "acc_range": AccumulatorRange, "beats": unsigned(3),
    "table": unsigned(_CODE_BITS), "table_shift": unsigned(4), "table_rounding": RoundMode,
    "reduce": unsigned(_FOLD_BITS), "fresh": 1, "drop": unsigned(2), "anchored": 1,
    "adjust": Adjust, "inverted": 1, "hold": 1, "resume": 1, "entry": unsigned(4),
    "back": unsigned(6), "repeat": unsigned(16),
    "advance": data.ArrayLayout(signed(16), 2),
    "shift": signed(7), "clip": data.ArrayLayout(signed(ELEMENT_BITS), 2),
    "outer": _COUNTS, "taps": _COUNTS, "rows": _AXIS, "cols": _AXIS, "bias_row": unsigned(16),
    "x": _OPERAND, "y": _OPERAND, "z": _ACCESS,
    "scale": Scale, "addend": 1, "zero": signed(16), "x_zero": signed(16),
    "floor": unsigned(FLOOR_MAX.bit_length()), "own": 1, "ranks": 1, "once": 1})
FIELDS = tuple(Encoded.members)


def table_of(encoded):
    """``Table`` value in an encoded pass; ``own`` is the highest code bit."""
    return Cat(encoded.table, encoded.own)


def reduce_of(encoded):
    """``Reduce`` value in an encoded pass; ``ranks`` is the highest code bit."""
    return Cat(encoded.reduce, encoded.ranks)


def _encoder(shape, name):
    """Function from a mapping or a sequence to its bits; raises ValueError naming ``name``."""
    members, is_array = [], isinstance(shape, data.ArrayLayout)
    for key, field in shape:
        full  = f"{name}[{key}]" if isinstance(key, int) else f"{name}.{key}" if name else key
        kind  = unsigned(field.shape) if isinstance(field.shape, int) else field.shape
        inner = _encoder(kind, full) if isinstance(kind, data.Layout) else None
        # A dict is ten times as fast as the own lookup of an Enum.
        codes = {member: member.value for member in kind} if isinstance(kind, type) else None
        limits = None if inner or codes else _limits(kind)
        members.append((key, field.offset, full, kind, limits, inner, codes))

    def encode(values):
        """Encode a mapping or a sequence."""
        if is_array and len(values) != len(members):
            raise ValueError(f"{name} must have {len(members)} values, not {len(values)}")
        bits = 0
        for key, offset, full, kind, limits, inner, codes in members:
            value = values[key]
            if inner is not None:
                bits |= inner(value) << offset
                continue
            if codes is not None:
                bits |= (codes[value] if value in codes else kind(value).value) << offset
                continue
            low, high, mask = limits
            if not low <= value <= high:
                raise ValueError(f"{full} must be between {low} and {high}, not {value!r}")
            bits |= (int(value) & mask) << offset
        return bits

    return encode


def _limits(shape):
    """An Amaranth shape's lowest and highest number, and its bit mask."""
    low = -(1 << shape.width - 1) if shape.signed else 0
    return low, (1 << shape.width - shape.signed) - 1, (1 << shape.width) - 1


#: Built once; sixty times as fast as Amaranth's own encoder, ``Encoded.const``.
_encode = _encoder(Encoded, "")


def _encode_access(access):
    length = access.high - access.low + 1
    if access.mode is AguMode.BIT_REVERSED and (length < 1 or length & length - 1):
        raise ValueError(f"The window of a bit-reversed access must be a power of two long, "
                         f"not {length}")
    if access.mode is AguMode.MODULO:
        if access.move is not Move.NONE:
            raise ValueError(f"The base of a modulo access must not move, not by "
                             f"{access.move.name}")
        for stride in access.outer:
            if abs(stride) > length:
                raise ValueError(f"Outer strides of a modulo access must be within its window of "
                                 f"{length}, not {stride}")
        if not access.low <= access.base <= access.high:
            raise ValueError(f"The base of a modulo access must be in its window, "
                             f"not {access.base}")
    return {"mode": access.mode, "move": access.move, "order": max(length - 1, 0).bit_length(),
            "start": access.base - access.low, "low": access.low,
            "high": max(length - 1, 0) if length > 0 else (1 << 17) - 1,
            "outer": access.outer}


def _encode_slid(access, rows, columns, span):
    """Encode a ``SLIDE`` operand; tap loops 0 and 1 swap, ``start`` belongs to the last column."""
    across = (columns - 1) * access.taps[1]
    fields = _encode_operand(access, rows, Axis(), span)
    fields["agu"]["start"] += across
    return fields | {"taps": (access.taps[1], access.taps[0], access.taps[2]),
                     "cols": {"start": -across, "step": 0}}


def _encode_operand(access, rows, cols, span):
    clips = ((rows, access.taps[0]), (cols, access.taps[1]))
    row_clip, col_clip = ({"start": axis.pad * stride, "step": axis.step * stride}
                          for axis, stride in clips)
    return {"agu": _encode_access(access), "taps": access.taps,
            "last": access.high - access.low - (span - 1), "rows": row_clip, "cols": col_clip}


def _encode_of(pass_, access, span):
    if pass_.accumulate.op is Op.SLIDE:
        return _encode_slid(access, pass_.loop.rows, pass_.loop.taps[1], span)
    return _encode_operand(access, pass_.loop.rows, pass_.loop.cols, span)


def pack(pass_):
    """Encode a ``Pass`` as a single integer.

    ValueError for a value that does not fit its field; the message names field, limits and value.
    ``pack`` does not check conditions for which the hardware has a ``Status``. An empty window is
    encoded as a window too long for any memory.
    """
    loop, accumulate = pass_.loop, pass_.accumulate
    epilogue, control = pass_.epilogue, pass_.control
    span = epilogue.beats if pass_.operands.x_shape is Shape.LANES else 1
    if pass_.operands.x.mode is AguMode.BIT_REVERSED and span > 1:
        raise ValueError(f"A bit-reversed access of X by lanes must have 1 beat, not {span}")
    check_reduced(pass_)
    check_held(pass_)
    check_reordered(pass_)
    check_shared(pass_)
    check_slid(pass_)
    given  = fields_of(pass_)
    fields = {name: given[name] for name in FIELDS if name in given}
    fields |= {
        "rows": vars(loop.rows), "cols": vars(loop.cols), "bias": accumulate.bias_row is not None,
        "bias_row": accumulate.bias_row or 0, "wait": int(control.wait), "last": int(control.last),
        "x": _encode_of(pass_, pass_.operands.x, span), "y": _encode_of(pass_, pass_.operands.y, 1),
        "z": _encode_access(epilogue.z), "table": epilogue.table.value % (1 << _CODE_BITS),
        "own": epilogue.table.value >> _CODE_BITS,
        "reduce": pass_.reduction.reduce.value % (1 << _FOLD_BITS),
        "ranks": pass_.reduction.reduce.value >> _FOLD_BITS}
    fields |= {name: int(fields[name]) for name in (
        "bias", "fresh", "anchored", "inverted", "hold", "resume", "addend", "once")}
    bits = _encode(fields)
    check_scaled(pass_)
    return bits


def pack_words(pass_):
    """Encode a ``Pass`` as ``PASS_WORDS`` 64-bit words."""
    packed = pack(pass_)
    return [packed >> 64 * index & (1 << 64) - 1 for index in range(PASS_WORDS)]
