# SPDX-License-Identifier: Apache-2.0
"""An exact accelerator model under any Rule: whole numbers, no floats."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import container

from .libraries import sums_of
from .rounding import Limit, Rounding, add, divide, limit, multiply, shift_left, shift_right
from .rule import When, Zero

if TYPE_CHECKING:
    from xymac.host.kit.case import Case
    from xymac.host.kit.narrowing import Narrowing
    from xymac.host.kit.rule import Rule
    from xymac.host.kit.sums import Sums

__all__ = ["compute", "run", "running_sums", "stages", "total"]

_CHUNK     = 1 << 22  #: Products in memory at once.
_TERM_BITS = 32       #: Width of a scaled input of a tensor sum.
_WIDEST    = 62       #: Bits of the largest unsigned number, beyond every output's clip.
_ADDED     = (Rounding.UP, Rounding.FLOOR)  #: Roundings that add a constant before the shift.
_KNOWN     = 1 << 12  #: Outputs up to which ``stages`` keeps results of equal sums.

#: Fields of a Narrowing that ``_scale`` reads, but for accumulator widths.
_SCALING = attrgetter("first", "last", "once", "last_bits", "multiplier_bits", "kept_bits",
                      "multiplier_rounding", "middle_bits", "middle_limit", "product_bits",
                      "scaled_bits", "scaled_limit", "final_shift", "zero", "left_after", "counted",
                      "logical")


def run(rule: Rule, case: Case) -> np.ndarray:
    """An accelerator's result for a Case, with ``rule``'s differences from the library.

    Returns an array with golden's type and shape; ValueError for a case without a model.
    """
    out    = np.zeros_like(replace(case, offset=0).expected()) if case.offset else (
        np.zeros_like(case.expected()))
    values = out.reshape(-1)
    terms  = sums_of(case, np.zeros(1, int)).elements.shape[0]
    for places in np.array_split(np.arange(out.size), max(out.size * terms // _CHUNK, 1)):
        sums = sums_of(case, places)
        values[places] = compute(sums.narrowing.under(rule), sums)
    return case.moved(values.reshape(out.shape))


def compute(narrowing: Narrowing, sums: Sums, known: dict | None = None) -> np.ndarray:
    """Outputs for Sums under a Narrowing, an int64 array; ``known`` as for ``stages``."""
    return stages(narrowing, sums, known)["output"]


def stages(narrowing: Narrowing, sums: Sums, known: dict | None = None) -> dict[str, np.ndarray]:
    """Intermediate values for Sums under a Narrowing: arrays by step name, in order.

    ``known`` keeps rounded results between calls with the same ``sums``: most narrowings of an
    accumulator leave its sums as they are.
    """
    sums  = _prepare(narrowing, sums)
    final = _total(narrowing, sums)
    bias  = _bias(narrowing, sums)
    steps = {"bias": bias, "sum": final}
    first, value = _scale_once(narrowing, sums, final, known)
    if narrowing.apart:
        parts = [_scale(narrowing, sums, part, alone=place > 0)[1]
                 for place, part in enumerate(sums.products)]
        value = reduce(add, parts)
    elif narrowing.shifts > 1 and not narrowing.once:
        steps["after the first shift"] = first
    if narrowing.bias_after:
        steps["without bias"] = value
        value = add(value, _scale(narrowing, sums, bias, alone=True)[1])
    steps["rounded"] = value
    steps["output"]  = _output(narrowing, sums, value)
    return steps


def total(narrowing: Narrowing, sums: Sums) -> np.ndarray:
    """Every output's sum as it leaves the accumulator, an int64 array."""
    return _total(narrowing, _prepare(narrowing, sums))


def running_sums(narrowing: Narrowing, sums: Sums) -> list[np.ndarray]:
    """The sum after the bias and after every step, a list of arrays."""
    sums = _prepare(narrowing, sums)
    return list(_running(narrowing, _start(narrowing, sums), _steps(narrowing, sums)))


def _prepare(narrowing, sums):
    """Sums with scaled inputs and counted windows, under the narrowing."""
    if narrowing.counted:
        bias = sums.bias if narrowing.padding else add(sums.bias, sums.outside)
        sums = replace(sums, bias=bias, **{
            name: getattr(sums, f"whole_{name}")
            for name in ("divisor", "multiplier", "addend", "shift")})
    if narrowing.unsigned_inputs:
        sums = replace(sums, elements=_unsign(sums.elements + sums.input_zero,
                                              narrowing.input_bits) - sums.input_zero)
    if narrowing.unsigned_weights:
        sums = replace(sums, weights=_unsign(sums.weights, narrowing.weight_bits))
    if narrowing.raw_inputs:
        sums = replace(sums, elements=sums.elements + sums.input_zero + narrowing.base)
    if narrowing.raw_weights:
        sums = replace(sums, weights=sums.weights + narrowing.base)
    return replace(sums, elements=_scale_terms(narrowing, sums)) if len(sums.raw) else sums


def _unsign(stored, bits):
    """Two's complement numbers taken as numbers from 0 on."""
    return np.where(stored < 0, stored + (1 << bits), stored)


def _scale_terms(narrowing, sums):
    """A tensor sum's inputs at the sum's scale, a row each."""
    value, rest = multiply(sums.raw, _shorten(narrowing, sums.scale)), sums.rest
    if narrowing.inputs_once:
        rest = rest + sums.places
    elif narrowing.terms > 1:
        value = shift_right(value, sums.places, Rounding.UP)
    value = shift_right(value, rest, narrowing.inputs, narrowing.terms_bits)
    return limit(value, _TERM_BITS, Limit.SATURATE)


def _bias(narrowing, sums):
    """The bias as it enters the accumulator."""
    bias = add(sums.bias, -sums.zeros) if narrowing.folded else sums.bias
    return limit(bias, narrowing.bias_bits, narrowing.bias_limit)


def _start(narrowing, sums):
    """The sum's initial value."""
    return np.zeros_like(sums.bias) if narrowing.bias_after else _bias(narrowing, sums)


def _steps(narrowing, sums):
    """Addends, a row per step."""
    products = sums.products
    if narrowing.folded:
        products = products + sums.input_zero * sums.weights
    if narrowing.padding:
        products = np.concatenate([products, sums.padding[np.newaxis]])
    fill  = -products.shape[0] % narrowing.block
    steps = np.pad(products, ((0, fill), (0, 0))).reshape(-1, narrowing.block, sums.count)
    return steps.sum(axis=1)


def _running(narrowing, start, steps):
    acc = start
    yield acc
    for step in steps:
        acc = add(acc, step)
        if narrowing.when is When.STEP:
            acc = limit(acc, narrowing.acc_bits, narrowing.acc_limit)
        yield acc


def _total(narrowing, sums):
    """The sum as it leaves the accumulator."""
    start = _start(narrowing, sums)
    total = sums.total
    if narrowing.folded:
        total = total + sums.zeros
    if narrowing.padding:
        total = total + sums.padding
    if narrowing.when is When.BEFORE:
        return add(limit(total, narrowing.acc_bits, narrowing.acc_limit), start)
    if narrowing.when is When.BIAS:
        total = limit(total, narrowing.acc_bits, Limit.WRAP)
    total = limit(add(total, start), narrowing.acc_bits, narrowing.acc_limit)
    if narrowing.when is When.STEP and narrowing.acc_limit is not Limit.WRAP:
        # Wrapping sums need no steps; only sums that can saturate need every step.
        places = np.flatnonzero(_reach(narrowing, sums, start) > container(narrowing.acc_bits)[1])
        if places.size:
            total[places] = _scan(narrowing, start[places], _steps(narrowing, sums.take(places)))
    return total


def _scan(narrowing, start, steps):
    """The sum after all ``steps``, limited after each.

    An addition with limits is ``min(max(x + added, low), high)``, and so is the chain of two: pairs
    are joined until a single one is left.
    """
    low, high = container(narrowing.acc_bits)
    low       = -high if narrowing.acc_limit is Limit.SYMMETRIC else low
    added     = steps
    lows, highs = (np.full(steps.shape, end) for end in (low, high))
    while len(added) > 1:
        rest = [part[len(part) // 2 * 2:] for part in (added, lows, highs)]
        (one, low1, high1), (two, low2, high2) = (
            [part[place:len(part) // 2 * 2:2] for part in (added, lows, highs)]
            for place in (0, 1))
        joined = one + two, *(np.clip(end + two, low2, high2) for end in (low1, high1))
        added, lows, highs = (np.concatenate(pair) for pair in zip(joined, rest, strict=True))
    return np.clip(start + added[0], lows[0], highs[0]) if len(added) else start


def _reach(narrowing, sums, start):
    """Upper bound for all intermediate sums' magnitude."""
    reach = np.abs(start) + sums.reach
    if narrowing.padding:
        reach = reach + np.abs(sums.padding)
    if narrowing.folded:
        reach = reach + np.abs(sums.input_zero) * np.abs(sums.weights).sum(axis=0)
    return reach


def _shorten(narrowing, factor):
    """Multiplier without the low bits dropped by the accelerator."""
    drop = narrowing.multiplier_bits - narrowing.kept_bits
    if drop <= 0:
        return factor
    short = shift_right(factor, np.full(factor.shape, drop), narrowing.multiplier_rounding)
    return limit(short, narrowing.kept_bits, Limit.SATURATE) << drop


def _scale_once(narrowing, sums, total, known):
    """``_scale``, or its results in ``known`` for an equal total and equal options."""
    if known is None or total.dtype == object or total.size > _KNOWN:
        return _scale(narrowing, sums, total)
    key = (total.tobytes(), max(narrowing.work_bits, narrowing.acc_bits), _SCALING(narrowing))
    if key not in known:
        known[key] = _scale(narrowing, sums, total)
    return known[key]


def _scale(narrowing, sums, total, *, alone=False):
    """Results after the first and the last shift; ``alone`` scales a bias without its sum."""
    early, shift  = sums.early, sums.shift
    addend        = np.zeros_like(sums.addend) if alone else sums.addend
    factor, after = sums.factor, sums.multiplier
    if narrowing.multiplier_bits:
        factor = factor if (factor == 1).all() else _shorten(narrowing, factor)
        after  = after if (after == 1).all() else _shorten(narrowing, after)
    left  = np.zeros_like(sums.left) if narrowing.left_after else sums.left
    value = limit(shift_left(total, left), max(narrowing.work_bits, narrowing.acc_bits),
                  Limit.WRAP)
    first = value = multiply(value, factor)
    if narrowing.once:
        addend, shift = shift_left(addend, early), shift + early
    elif narrowing.shifts > 1:
        value = shift_right(value, early, narrowing.first)
        first = value = limit(value, narrowing.middle_bits, narrowing.middle_limit)
    value = limit(add(multiply(value, after), addend), narrowing.product_bits, Limit.WRAP)
    early_zero = narrowing.zero is Zero.UNROUNDED and not alone
    if early_zero:
        value = add(value, shift_left(np.where(shift > 0, sums.zero, 0), np.maximum(shift, 0)))
    if (sums.divisor > 1).any():
        value = divide(value, sums.divisor, narrowing.last)
    value = _shift_last(narrowing, value, shift)
    value = shift_left(value, sums.left) if narrowing.left_after else value
    if early_zero:
        value = add(value, np.where(shift > 0, 0, sums.zero))
    value = limit(value, narrowing.scaled_bits, narrowing.scaled_limit)
    if narrowing.final_shift:
        value = shift_right(value, np.full(value.shape, narrowing.final_shift), narrowing.last)
    return first, value


def _shift_last(narrowing, value, shift):
    """The last right shift, which under a Rule takes numbers below 0 as unsigned."""
    rounded = shift_right(value, shift, narrowing.last, narrowing.last_bits)
    if not narrowing.logical:
        return rounded
    floor = rounded if narrowing.last in _ADDED else shift_right(value, shift, Rounding.FLOOR)
    width = np.clip(narrowing.logical - shift, 0, _WIDEST)
    return np.where((shift > 0) & (floor < 0), rounded + (np.int64(1) << width), rounded)


def _clip(value, low, high):
    """Clip to the upper limit first: if the limits cross, the lower limit wins."""
    return np.maximum(np.minimum(value, high), low).astype(np.int64)


def _output(narrowing, sums, value):
    """Zero point and limits."""
    least, most = container(narrowing.out_bits)
    zero = narrowing.zero
    if zero in (Zero.CLIPPED, Zero.WRAPPED):
        value = _clip(value, least, most)
    if zero is not Zero.UNROUNDED:
        value = add(value, sums.zero)
    value = limit(value, narrowing.offset_bits, narrowing.offset_limit)
    if zero is Zero.WRAPPED or narrowing.out is Limit.WRAP:
        value = limit(value, narrowing.out_bits, Limit.WRAP)
    if narrowing.out is Limit.SYMMETRIC:
        least = -most
    value = _clip(value, least, most)
    return _clip(value, sums.low, sums.high) if narrowing.activation else value
