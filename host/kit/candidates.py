# SPDX-License-Identifier: Apache-2.0
"""Candidate rules for the search: every known single difference."""

from __future__ import annotations

from .rounding import Limit, Rounding
from .rule import Rule, When, Zero

__all__ = ["DIMENSIONS", "singles"]

#: Roundings of every shift; a nudge belongs to the first of two.
_ROUNDINGS  = tuple(rounding for rounding in Rounding if rounding is not Rounding.NUDGED)
_ACC_BITS   = (24, 16, 32, 40, 48, 20, 18, 28, 36)
_OTHER_BITS = tuple(bits for bits in range(16, 40) if bits not in _ACC_BITS)
_BIAS_BITS  = (16, 8, 24, 32)
_ODD_BITS   = tuple(bits for bits in range(9, 32) if bits not in _BIAS_BITS)
_MULTIPLIER = (16, 17, 18, 24, 25, 8, 15)
_MIDDLE     = (16, 24, 12, 18, 20, 17, 22, 32, 14, 15, 19, 21, 23, 25, 26, 28)
_BLOCKS     = (2, 4, 8, 16, 32, 64)
_LOGICAL    = (32, 64, 24, 16)


def _roundings():
    yield from (Rule(last=rounding) for rounding in _ROUNDINGS)
    yield from (Rule(first=rounding) for rounding in Rounding)
    yield from (Rule(once=True, last=rounding) for rounding in _ROUNDINGS)
    yield from (Rule(first=first, last=last) for first in Rounding for last in _ROUNDINGS)


def _logical():
    for bits in _LOGICAL:
        yield from (Rule(logical=bits, last=last) for last in (None, Rounding.UP, Rounding.FLOOR))


def _inputs():
    yield from (Rule(inputs=rounding) for rounding in _ROUNDINGS)
    yield from (Rule(inputs_once=True, inputs=rounding) for rounding in _ROUNDINGS)
    yield Rule(apart=True)


def _multipliers():
    for rounding in (Rounding.FLOOR, Rounding.UP):
        yield from (Rule(multiplier_bits=bits, multiplier_rounding=rounding)
                    for bits in _MULTIPLIER)
        yield Rule(once=True, last=Rounding.UP, multiplier_bits=16, multiplier_rounding=rounding)


def _accumulators():
    for bits in _ACC_BITS:
        yield Rule(acc_bits=bits, acc_limit=Limit.WRAP)
        for limit in (Limit.SATURATE, Limit.SYMMETRIC):
            yield Rule(acc_bits=bits, acc_limit=limit, when=When.END)
        for limit in (Limit.SATURATE, Limit.SYMMETRIC):
            yield Rule(acc_bits=bits, acc_limit=limit, when=When.STEP, block=1)
            yield Rule(acc_bits=bits, acc_limit=limit, when=When.STEP)
        yield from (Rule(acc_bits=bits, acc_limit=Limit.SATURATE, when=When.STEP, block=block)
                    for block in _BLOCKS)
    for bits in _OTHER_BITS:
        yield from (Rule(acc_bits=bits, acc_limit=limit) for limit in (Limit.WRAP, Limit.SATURATE))
    for bits in sorted((*_ACC_BITS, *_OTHER_BITS)):
        yield from (Rule(acc_bits=bits, acc_limit=limit, when=When.BEFORE)
                    for limit in (Limit.WRAP, Limit.SATURATE))


def _biases():
    yield Rule(bias_after=True)
    for limit in (Limit.WRAP, Limit.SATURATE):
        yield from (Rule(bias_bits=bits, bias_limit=limit) for bits in _BIAS_BITS)
        yield from (Rule(folded=True, bias_bits=bits, bias_limit=limit) for bits in _BIAS_BITS)
        yield from (Rule(bias_bits=bits, bias_limit=limit) for bits in _ODD_BITS)


def _middles():
    yield from (Rule(middle_bits=bits, middle_limit=limit) for bits in _MIDDLE
                for limit in (Limit.WRAP, Limit.SATURATE))


def _zeros():
    yield from (Rule(zero=zero) for zero in (Zero.CLIPPED, Zero.UNROUNDED, Zero.WRAPPED))


#: Groups of mutually exclusive differences, the most frequent first.
DIMENSIONS = tuple(tuple(kind) for kind in (
    _roundings(), [Rule(out=Limit.SYMMETRIC), Rule(out=Limit.WRAP)], _zeros(), _multipliers(),
    _accumulators(), _biases(), _inputs(), _middles(), _logical(), [Rule(left_after=True)],
    [Rule(unsigned_weights=True), Rule(unsigned_inputs=True), Rule(raw_inputs=True),
     Rule(raw_weights=True)], [Rule(padding=True)],
    [Rule(counted=True), Rule(counted=True, padding=True)], [Rule(activation=False)]))


def singles() -> list[Rule]:
    """List of all rules with a single difference."""
    return [rule for kind in DIMENSIONS for rule in kind]
