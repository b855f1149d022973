# SPDX-License-Identifier: Apache-2.0
"""Programs that no compiler writes: random words, and random passes with changed fields."""

from dataclasses import replace
from unittest.mock import patch

from tests.support.random_passes import random_pass, without_faults
from tests.support.raw_words import change_fields
from xymac.hdl.isa import PASS_WORDS, Encoded, Memory, decoding, pack, unpack_words

__all__ = ["decoded", "draw_program", "whole_pass"]

_BYTES  = 8 * PASS_WORDS
_WORD   = (1 << 64) - 1
_BEHIND = 1100  # addresses from the window of the operands to that of the results
#: Counts of the loops of a pass.
_COUNTS = [(name, axis) for name in ("outer", "taps") for axis in range(3)]


def draw_program(rng, config, count):
    """``count`` encoded passes (ints): random words, passes with random bits or random fields, and
    passes as they are; some with derived fields of another pass.

    All of them wait, because the order of results is undefined otherwise, and have few steps.
    """
    program = []
    for index in range(count):
        packed = _bounded(rng, _draw_pass(rng, config), index)
        packed = change_fields(packed, {"last": int((index == count - 1) ^ (rng.random() < 0.1))})
        program.append(_repaired(packed) if rng.random() < 0.7 else packed)
    return program


def decoded(packed):
    """The Pass of an encoded pass, None if the words belong to no pass."""
    try:
        return unpack_words(_words(packed))
    except ValueError:
        return None


def _words(packed):
    return [packed >> 64 * index & _WORD for index in range(PASS_WORDS)]


def _draw_pass(rng, config):
    kind = rng.integers(5)
    if kind == 0:
        return int.from_bytes(rng.bytes(_BYTES), "little")
    packed = pack(random_pass(rng, config) if rng.integers(2) else whole_pass(rng, config))
    if kind == 1:
        for place in rng.integers(0, 8 * _BYTES, rng.integers(1, 9)).tolist():
            packed ^= 1 << place
    elif kind < 4:
        for name in rng.choice([*Encoded.members], rng.integers(1, 4)).tolist():
            field  = Encoded[name]
            drawn  = int.from_bytes(rng.bytes(_BYTES), "little") % (1 << field.width)
            packed = packed & ~((1 << field.width) - 1 << field.offset) | drawn << field.offset
    return packed


def whole_pass(rng, config):
    """A pass without faults, whose results lie behind its operands."""
    drawn = without_faults(rng, config)
    z     = drawn.epilogue.z
    return replace(drawn, z_memory=Memory.X, z=replace(
        z, base=z.base + _BEHIND, low=z.low + _BEHIND, high=z.high + _BEHIND))


def _bounded(rng, packed, index):
    """The pass with few steps, which waits; mostly without a loop."""
    for name, axis in _COUNTS:
        field  = Encoded[name]
        inner  = field.shape[axis]
        offset = field.offset + inner.offset
        mask   = ((1 << inner.width) - 1) << offset
        value  = (packed & mask) >> offset
        packed = packed & ~mask | value % int(rng.choice([2, 4, 4, 9])) << offset
    changes = {"wait": 1, "back": 0, "repeat": 0}
    if rng.random() < 0.2:
        changes |= {"back": int(rng.integers(0, index + 2)), "repeat": int(rng.integers(0, 4))}
    if rng.random() < 0.3:
        changes["shift"] = int(rng.integers(-16, 42))
    return change_fields(packed, changes)


def _repaired(packed):
    """The pass with the derived fields that belong to its others; as it is if it has none."""
    words = _words(packed)
    try:
        with patch.object(decoding, "pack_words", lambda _: words):
            return pack(unpack_words(words))
    except ValueError:
        return packed
