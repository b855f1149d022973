# SPDX-License-Identifier: Apache-2.0
"""Means with another divisor, or with a reciprocal in place of a division."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.host.kit.libraries import sums_of
from xymac.host.kit.operands import operands_of
from xymac.host.kit.rounding import Rounding, divide

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["changed_means"]

_RECIPROCALS = (16, 8, 15, 7, 12, 10, 18, 20, 24)  #: Fractional bits.


def changed_means() -> Iterator[tuple[str, Any]]:
    """Pairs (words, function from compared outputs to Sums) for means with a divisor."""
    yield "the mean divides by one more than the elements", partial(
        _divided, lambda count, kernel: count + 1)
    yield "the mean divides by one less than the elements", partial(
        _divided, lambda count, kernel: np.maximum(count - 1, 1))
    yield "the mean divides by the kernel height only", partial(
        _divided, lambda count, kernel: 0 * count + kernel[0])
    yield "the mean divides by the kernel width only", partial(
        _divided, lambda count, kernel: 0 * count + kernel[1])
    yield "the mean divides by the next higher power of 2", partial(
        _divided, lambda count, kernel: np.where(
            count > 1, 2 * _power(count - 1), 1))
    yield "the mean divides by the next lower power of 2", partial(
        _divided, lambda count, kernel: _power(count))
    yield "the mean does not divide", partial(_divided, lambda count, kernel: 0 * count + 1)
    for words, axis in (("each row and then of the rows", 1),
                        ("each column and then of the columns", 0)):
        for rounding in (Rounding.AWAY, Rounding.UP, Rounding.FLOOR):
            yield (f"the mean is that of {words}, both rounded {rounding.value}",
                   partial(_in_passes, axis, rounding))
    for bits in _RECIPROCALS:
        for name, half in (("rounded", 1), ("cut", 0)):
            for rounding, words in ((Rounding.UP, "half up"), (Rounding.FLOOR, "down"),
                                    (Rounding.AWAY, "half away from zero")):
                factor = f"a reciprocal of {bits} fractional bits, {name}"
                yield (f"the mean multiplies by {factor}, and rounds {words}",
                       partial(_multiplied, bits, half, rounding))


def _power(count):
    """The highest power of 2 up to ``count``, at least 1: int64."""
    return 1 << np.log2(np.maximum(count, 1)).astype(np.int64)


def _divided(change, compared):
    sums = compared.sums
    if compared.case.dialect != "tflm":  # which multiplies by a reciprocal
        return sums
    divisor = change(sums.divisor, operands_of(compared.case)["kernel"])
    return replace(sums, divisor=np.maximum(divisor, 1))


def _in_passes(axis, rounding, compared):
    """Means along a kernel's ``axis`` and then along the other axis, with a rounding after each."""
    sums = compared.sums
    if compared.case.dialect != "tflm":
        return sums
    [x]    = compared.case.inputs
    ones   = replace(compared.case, inputs=(replace(x, data=np.ones_like(x.data)),))
    kernel = operands_of(compared.case)["kernel"]
    inside, elements = (each.reshape(*kernel, -1) for each in (
        sums_of(ones, compared.places).elements, sums.elements))
    counts = inside.sum(axis)
    means  = divide(elements.sum(axis), np.maximum(counts, 1), rounding)
    whole  = np.zeros_like(sums.elements)
    whole[0] = means.sum(0)
    return replace(sums, elements=whole, divisor=np.maximum((counts > 0).sum(0), 1),
                   narrowing=replace(sums.narrowing, last=rounding))


def _multiplied(bits, half, rounding, compared):
    sums = compared.sums
    if compared.case.dialect != "tflm":
        return sums
    factor = ((1 << bits) + half * (sums.divisor // 2)) // sums.divisor
    return replace(sums, divisor=np.ones_like(factor), multiplier=factor,
                   shift=np.full_like(factor, bits),
                   narrowing=replace(sums.narrowing, last=rounding))
