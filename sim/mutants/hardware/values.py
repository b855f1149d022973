# SPDX-License-Identifier: Apache-2.0
"""Operators for mutation points, and Values shaped like other Values."""

import enum
import operator

from amaranth import Signal, Value, ValueCastable
from amaranth.hdl import _ast
from amaranth.lib import data

__all__ = ["BESIDE", "BINARY", "COMPARE", "IN_PLACE", "STEPS", "SWAPPED", "beside", "fit",
           "is_castable", "is_hardware", "is_leaf", "number_of", "same", "shaped", "shifts"]

BINARY  = {"+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_,
            "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift}
SWAPPED = {"+": "-", "-": "+", "*": "+", "&": "|", "|": "&", "^": "|"}
IN_PLACE = {"-": operator.isub, "*": operator.imul, "&": operator.iand, "|": operator.ior,
             "^": operator.ixor, "<<": operator.ilshift, ">>": operator.irshift}
COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
            "==": operator.eq, "!=": operator.ne}
BESIDE  = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
#: Steps of a constant that differ from the swapped comparison.
STEPS   = {"<": {3: -1}, "<=": {2: 1}, ">": {2: 1}, ">=": {3: -1}, "==": {2: 1, 3: -1},
            "!=": {2: 1, 3: -1}}



def is_hardware(value):
    """Whether a value is hardware, and not a constant."""
    return isinstance(value, Value | ValueCastable) and not isinstance(
        value, _ast.Const | data.Const)


def number_of(value):
    """A constant operand's integer, or None."""
    if isinstance(value, bool) or not isinstance(value, int | enum.Enum):
        return None
    value = value.value if isinstance(value, enum.Enum) else value
    return value if isinstance(value, int) else None


def is_leaf(value):
    """Whether a Value is a constant, a Signal, or part of a Signal."""
    while isinstance(value, _ast.Slice):
        value = value.value
    return isinstance(value, _ast.Const | Signal) or _is_target(value)


def _is_target(value):
    """Whether a Value is a signal-array element, which can be assigned to."""
    if isinstance(value, _ast.Slice | _ast.Part):
        return _is_target(value.value)
    if isinstance(value, _ast.SwitchValue):
        return all(_is_target(each) for _, each in value.cases)
    return isinstance(value, Signal)


def same(one, other):
    """Whether two Values are the same object or constant."""
    return one is other or (isinstance(one, _ast.Const) and isinstance(other, _ast.Const)
                            and one.value == other.value)


def is_castable(value):
    """Whether a variant can be a Value."""
    return isinstance(value, int | enum.Enum | Value | ValueCastable)


def shifts(sign, left, right):
    """Shift variants."""
    number = number_of(right)
    if number is None:
        return {2: left}
    variants = {4: BINARY[sign](left, number + 1)}
    if number > 0:
        variants[5] = BINARY[sign](left, number - 1)
    return variants


def beside(length, index):
    """Neighbours of an index or slice within ``length``, {variant: index}."""
    if isinstance(index, slice):
        start, stop, _ = index.indices(length)
        ends = {1: (start + 1, min(stop + 1, length)), 2: (start - 1, stop - 1)}
        return {number: slice(low, high) for number, (low, high) in ends.items()
                if 0 <= low < high and stop > start}
    index = index + length if index < 0 else index
    return {number: other for number, other in ((1, index + 1), (2, index - 1))
            if 0 <= other < length}


def fit(other, value):
    """``other`` as a Value, no wider than ``value``, with the same meaning in the shape of
    ``value``."""
    shape = value.shape()
    other = Value.cast(other)
    if len(other) > shape.width:
        other = other[:shape.width]
    if other.shape().signed == shape.signed:
        return other
    if len(other) < shape.width:
        sign  = other[-1] if other.shape().signed and len(other) else _ast.Const(0)
        other = _ast.Cat(other, sign.replicate(shape.width - len(other)))
    return other.as_signed() if shape.signed else other.as_unsigned()


def shaped(original, value):
    """``value`` with the type of ``original``."""
    return value if isinstance(original, Value) else original.shape()(value)
