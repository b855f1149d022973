# SPDX-License-Identifier: Apache-2.0
"""Recognise a slightly different layer behind wrong results.

Variants are curves from small tables, maxima over padding, exchanged gates, lost states, altered
sums and changed operands.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from xymac import golden
from xymac.golden.fixed import container
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.tflm import Padding
from xymac.host.kit.operands import operands_of
from xymac.host.kit.requantise import Requantise

from .altered import find_alteration
from .axes import IMAGES, axes_of
from .changed import changed_layers
from .formats import changed_formats
from .limits import changed_limits
from .moves import changed_moves
from .partly import Altered
from .stale import find_stale
from .states import changed_cells
from .windows import moved_windows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case

    from .partly import Parts

__all__ = ["find_variant"]

_CURVES = ("sigmoid", "tanh")
_CELLS  = ("lstm", "gru", "rnn", "svdf")
#: Operations whose sums tell more than their inputs.
_MULTIPLYING = ("conv2d", "depthwise_conv2d", "fully_connected", "accumulate", "matmul",
                "requantise")
_LEAST  = 3  #: Fewest wrong outputs that name a changed operand.
_FINEST = 8  #: Fractional bits of the argument in the finest table tried.


def find_variant(cases: Sequence[Case], expected: Sequence[np.ndarray],
                 results: Sequence[np.ndarray], wrong: Sequence[int], parts: Parts) -> str:
    """Name the layer variant behind all results, as a sentence; "" if there is none.

    Parameters
    ----------
    cases, expected, results : lists of equal length
    wrong : numbers of the cases with differences
    parts : Parts, to which variants with all wrong results are added
    """
    case = cases[wrong[0]]
    if case.operation == "network":
        return ""
    finders = (partial(find_alteration, cases, expected, results, wrong, parts),
               lambda: _find(changed_layers(case), parts, wrong, _LEAST))
    first, second = finders if case.operation in _MULTIPLYING else finders[::-1]
    return (find_stale(cases, expected, results, wrong)
            or _find(_variants(case), parts, wrong) or first() or second()
            or _find(changed_formats(case), parts, wrong, _LEAST))


def _find(variants, parts, wrong, least=1):
    """Words of the first of ``variants`` that computes all results, of which ``least`` differ.

    Variants that compute all wrong results are added to ``parts``.
    """
    cases, expected, results = parts.cases, parts.expected, parts.results
    if sum(np.count_nonzero(expected[number] != results[number]) for number in wrong) < least:
        return ""
    right = [number for number in range(len(cases)) if number not in set(wrong)]
    for words, make in variants:
        outputs, is_whole = {}, True
        for number in wrong:
            want, got = expected[number], results[number]
            outputs[number] = output = _output(make, cases[number], want)
            if not np.array_equal(output[want != got], got[want != got]):
                break
            is_whole = is_whole and np.array_equal(output, got)
        else:
            if is_whole and all(np.array_equal(_output(make, cases[number], expected[number]),
                                               expected[number]) for number in right):
                return words
            parts.add(words, partial(_altered, make, parts, outputs))
    return ""


def _output(make, case, want):
    """The variant's output; the expected one if the layer has no such variant."""
    try:
        output = np.asarray(make(case, want))
    except (ValueError, TypeError, IndexError, OverflowError):
        return want
    return output if output.shape == want.shape else want


def _altered(make, parts, outputs):
    """An Altered for each case; ``outputs`` holds the variant's outputs by case number."""
    for number, (case, want, got) in enumerate(zip(parts.cases, parts.expected, parts.results,
                                                   strict=True)):
        output = outputs[number] if number in outputs else _output(make, case, want)
        places = np.flatnonzero(output.reshape(-1) != want.reshape(-1))
        yield Altered(number, places, (want != got).reshape(-1)[places])


def _variants(case):
    """Pairs (words, function from a case and its expected output to the variant's output)."""
    if case.operation in IMAGES:
        yield from moved_windows(case)
    if case.operation in _CURVES:
        yield from _curves(case)
    elif case.operation == "max_pool":
        yield "padding counts as 0 in the maximum", partial(_padded, False)
        yield "padding counts as the zero point in the maximum", partial(_padded, True)
        yield "the maximum starts at 0", lambda case, want: np.maximum(want, 0)
        yield from _maxima(case)
    elif case.operation in _CELLS:
        yield from changed_cells(case)
    elif case.operation == "softmax":
        yield from _exponentials(case)
    elif case.operation == "relu":
        yield "outputs below 0 are 0", lambda case, want: np.maximum(want, 0)
        if case.dialect == "tflm":
            for words, change in changed_limits():
                yield words, partial(_limited, change)
    yield from changed_moves(case)


def _maxima(case):
    """Variants as in ``_variants``, of a maximum: other comparisons and other limits."""
    yield "the maximum compares elements as unsigned numbers", partial(
        _compared, lambda data: data ^ np.iinfo(data.dtype).min)
    yield "the minimum is taken in place of the maximum", partial(
        _compared, lambda data: ~data)
    if "low" in operands_of(case):
        for words, change in changed_limits():
            yield words, partial(_limited, change)


def _unlimited(case, change=lambda data: data):
    """The layer's outputs before its limits, for inputs changed and outputs changed back."""
    layer, x = case.layer, case.inputs[0]
    if case.operation == "relu":
        given = operands_of(case)
        unit  = Requantise("tflm", (given["multiplier"],), (given["shift"],), given["out_zero"],
                           *container(x.bits), bits=x.bits)
        return unit.run(x.data.astype(np.int64) - given["x_zero"])
    if hasattr(layer, "activation"):
        layer = replace(layer, activation=Activation.NONE)
    return change(_run(layer, replace(x, data=change(x.data))))


def _compared(change, case, want):
    values, operands = _unlimited(case, change), operands_of(case)
    low, high = operands.get("low"), operands.get("high")
    return values if low is None else np.clip(values, low, high)


def _limited(change, case, want):
    """The outputs with other limits."""
    operands  = operands_of(case)
    ends      = container(8 * want.dtype.itemsize)
    low, high = change(*(np.int64(operands.get(name, 0)) for name in ("low", "high", "out_zero")),
                       ends)
    values = _unlimited(case).astype(np.int64)
    return np.clip(np.maximum(np.minimum(values, high), low), *ends)


def _exponentials(case):
    """Variants as in ``_variants``, of a softmax: short tables of exponentials."""
    bits = 8 * case.inputs[0].data.dtype.itemsize
    for size in (1 << power for power in range(2, bits + 1)):
        for most in (size - 1, size):
            yield (f"differences from the largest element beyond {most:,} count as {most:,}",
                   partial(_near, most))
            yield (f"elements more than {most:,} below the largest one are the lowest output",
                   partial(_cut_off, most))


def _below(case):
    """Differences from the largest element of each row, int64, at most 0."""
    data = case.inputs[0].data.astype(np.int64)
    return data - data.max(axis=-1, keepdims=True)


def _near(most, case, want):
    data = case.inputs[0].data.astype(np.int64)
    return _at(case, data + np.maximum(-_below(case) - most, 0))


def _cut_off(most, case, want):
    return np.where(_below(case) < -most, np.iinfo(want.dtype).min if want.dtype.itemsize == 1
                    else 0, want)


def _curves(case):
    """Variants as in ``_variants``, of a curve: tables over the input's bits or its value."""
    bits = 8 * case.inputs[0].data.dtype.itemsize
    for drop in range(1, bits - 3):
        entries = f"{1 << bits - drop:,} entries"
        yield f"the curve comes from a table of {entries}", partial(_cut, drop, 0)
        yield f"the curve comes from the nearest of {entries}", partial(_cut, drop, 1 << drop - 1)
        for half, rounding in ((0, "without rounding"), (1 << drop - 1, "rounded")):
            yield (f"the curve is interpolated linearly between {entries}, {rounding}",
                   partial(_interpolate, drop, half))
    if "x_frac_bits" in operands_of(case):
        for frac_bits in range(_FINEST + 1):
            apart = f"1/{1 << frac_bits} apart" if frac_bits else "1 apart"
            yield (f"the curve comes from entries {apart}, without interpolation",
                   partial(_spaced, frac_bits, False))
            yield (f"the curve comes from the nearest of entries {apart}",
                   partial(_spaced, frac_bits, True))


def _run(layer, *inputs):
    return np.asarray(golden.run(layer, *inputs).output.data)


def _at(case, data):
    """The layer's outputs for other input elements ``data``, int64."""
    x = case.inputs[0]
    limits = np.iinfo(x.data.dtype)
    return _run(case.layer, replace(x, data=np.clip(data, limits.min, limits.max).astype(
        x.data.dtype))).astype(np.int64)


def _cut(drop, half, case, want):
    return _at(case, case.inputs[0].data.astype(np.int64) + half >> drop << drop)


def _interpolate(drop, half, case, want):
    data  = case.inputs[0].data.astype(np.int64)
    below = data >> drop << drop
    low, high = _at(case, below), _at(case, below + (1 << drop))
    return low + ((high - low) * (data - below) + half >> drop)


def _spaced(frac_bits, is_nearest, case, want):
    """Values at arguments with ``frac_bits`` fractional bits, fewer than the input's."""
    x    = case.inputs[0]
    drop = operands_of(case)["x_frac_bits"] - frac_bits
    if drop <= 0:
        return want
    half = 1 << drop - 1 if is_nearest else 0
    data = (x.data.astype(np.int64) + half >> drop).astype(x.data.dtype)
    if hasattr(x, "format"):
        return _run(case.layer, replace(x, data=data, format=replace(x.format,
                                                                     frac_bits=frac_bits)))
    return _run(case.layer, replace(x, data=data, frac_bits=frac_bits))


def _padded(is_zero_point, case, want):
    """The maximum with padding elements included."""
    x, layer  = case.inputs[0], case.layer
    operands  = operands_of(case)
    value     = operands.get("x_zero", 0) if is_zero_point else 0
    pad       = operands["pad"]
    sides     = {"row": pad[:2], "column": pad[2:]}
    names     = axes_of(case, x.shape)
    data      = np.pad(x.data, [sides.get(name, (0, 0)) for name in names], constant_values=value)
    changes   = {"padding": Padding.VALID} if hasattr(layer, "padding") else {"pad": (0, 0, 0, 0)}
    return _run(replace(layer, **changes), replace(x, data=data))
