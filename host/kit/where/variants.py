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

from xymac.golden.fixed import container
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.tflm import Padding
from xymac.host.kit.floats.exponentials import find_short_exponentials, short_exponentials
from xymac.host.kit.floats.lines import find_lines
from xymac.host.kit.operands import operands_of
from xymac.host.kit.requantise import Requantise

from .altered import find_alteration
from .axes import IMAGES, axes_of
from .changed import changed_layers
from .curves import (
    changed_curves,
    changed_exponentials,
    exact_curves,
    find_exact,
    output_of,
)
from .formats import changed_formats
from .kept.states import find_kept_state
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
            or find_kept_state(cases, expected, results)
            or _find(_variants(case), parts, wrong) or first() or second()
            or _find(changed_formats(case), parts, wrong, _LEAST)
            or find_exact(cases, results) or find_lines(cases, results)
            or find_short_exponentials(cases, results))


def _find(variants, parts, wrong, least=1):
    """Words for the first variant with all results, with at least ``least`` differences.

    Variants with all wrong results are added to ``parts``.
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
    """The variant's output; the expected output if the layer has no such variant."""
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
    yield from exact_curves(case)
    if case.operation in IMAGES:
        yield from moved_windows(case)
    if case.operation in _CURVES:
        yield from changed_curves(case)
    elif case.operation == "max_pool":
        yield "padding counts as 0 in the maximum", partial(_padded, False)
        yield "padding counts as the zero point in the maximum", partial(_padded, True)
        yield "the maximum starts at 0", lambda case, want: np.maximum(want, 0)
        yield from _maxima(case)
    elif case.operation in _CELLS:
        yield from changed_cells(case)
    elif case.operation == "softmax":
        yield from changed_exponentials(case)
        yield from short_exponentials()
    elif case.operation == "relu":
        yield "outputs below 0 are 0", lambda case, want: np.maximum(want, 0)
        yield from _relus(case)
        if case.dialect == "tflm":
            for words, change in changed_limits():
                yield words, partial(_limited, change)
    yield from changed_moves(case)


def _relus(case):
    """Variants as in ``_variants``, for a relu in tflm."""
    if case.dialect == "tflm":
        yield "outputs below 0, not below the zero point, are 0", lambda case, want: np.clip(
            _unlimited(case), 0, container(8 * want.dtype.itemsize)[1])
        yield "the input is not scaled", _unscaled


def _unscaled(case, want):
    given = operands_of(case)
    moved = case.inputs[0].data.astype(np.int64) - given["x_zero"] + given["out_zero"]
    return np.clip(moved, given["low"], given["high"])


def _maxima(case):
    """Variants as in ``_variants``, for a maximum: other comparisons and other limits."""
    yield "the maximum compares elements as unsigned numbers", partial(
        _compared, lambda data: data ^ np.iinfo(data.dtype).min)
    yield "the minimum is taken in place of the maximum", partial(
        _compared, lambda data: ~data)
    yield "the maximum goes on along a row, from window to window", partial(
        _accumulated, "column")
    yield "the maximum goes on along a column, from window to window", partial(
        _accumulated, "row")
    yield "every maximum has the window before it in its row, too", _with_before
    if "low" in operands_of(case):
        for words, change in changed_limits():
            yield words, partial(_limited, change)


def _with_before(case, want):
    """The maximum over every window and the window before it in its row."""
    axis = axes_of(case, want.shape).index("column")
    return np.maximum(want, want.take(np.maximum(np.arange(want.shape[axis]) - 1, 0), axis))


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
    return change(output_of(layer, replace(x, data=change(x.data))))


def _accumulated(name, case, want):
    return np.maximum.accumulate(want, axis=axes_of(case, want.shape).index(name))


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
    return output_of(replace(layer, **changes), replace(x, data=data))
