# SPDX-License-Identifier: Apache-2.0
"""Layers whose inputs have other zero points or scales."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xymac.host.kit.case import Case

__all__ = ["changed_formats"]

_FORMATS = ("quantisation", "format", "frac_bits")
_ZEROS   = ("zero_points", "zero_point")


def changed_formats(case: Case) -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Pairs (words, function from a Case and its expected output to a device's output) for the
    operation in ``case``; the device mixes up input formats.
    """
    if isinstance(case.inputs[0], np.ndarray):
        return
    names  = ("the input",) if len(case.inputs) == 1 else ("the first input", "the second input")
    groups = [((place,), name) for place, name in enumerate(names)]
    groups = [((0, 1), "both inputs"), *groups] if len(names) > 1 else groups
    for places, name in groups:
        for words, change in (("is ignored", lambda zero: 0), ("is added in place of subtracted",
                              lambda zero: -zero), ("counts as unsigned", lambda zero: zero & 255)):
            yield f"the zero point of {name} {words}", partial(_with_zero, places, change)
    if len(case.inputs) != len(groups) - 1:
        return
    for order, words in (((0, 0), "of the first input holds for both"),
                         ((1, 1), "of the second input holds for both"),
                         ((1, 0), "of both inputs are exchanged")):
        many = order == (1, 0)
        yield f"the zero point{'s' * many} {words}", partial(_with_zeros, order)
        yield f"the format{'s' * many} {words}", partial(_with_formats, order)
    yield "the inputs are exchanged", lambda case, want: replace(
        case, inputs=case.inputs[::-1]).expected()


def _format_of(x: Any):
    """(field, value): a tensor's format."""
    found = [name for name in _FORMATS if hasattr(x, name)]
    if not found:
        raise ValueError("the tensor has no format")
    return found[0], getattr(x, found[0])


def _zero_of(form):
    """(field, value): a format's zero points; ValueError without."""
    names = [field.name for field in fields(form)] if is_dataclass(form) else []
    found = [name for name in _ZEROS if name in names]
    if not found:
        raise ValueError("the format has no zero point")
    return found[0], getattr(form, found[0])


def _changed(x, change):
    """A tensor with another zero point; ValueError if its format has none."""
    field, form = _format_of(x)
    name, zero  = _zero_of(form)
    other = tuple(map(change, zero)) if isinstance(zero, tuple) else change(zero)
    return replace(x, **{field: replace(form, **{name: other})})


def _with_zero(places, change, case, want):
    return replace(case, inputs=tuple(
        _changed(x, change) if place in places else x
        for place, x in enumerate(case.inputs))).expected()


def _with_zeros(order, case, want):
    zeros = [_zero_of(_format_of(case.inputs[place])[1])[1] for place in order]
    zeros = [zero[0] if isinstance(zero, tuple) else zero for zero in zeros]
    return replace(case, inputs=tuple(
        _changed(x, lambda old, zero=zero: zero)
        for x, zero in zip(case.inputs, zeros, strict=True))).expected()


def _with_formats(order, case, want):
    forms = [_format_of(case.inputs[place]) for place in order]
    return replace(case, inputs=tuple(
        replace(x, **{field: form})
        for x, (field, form) in zip(case.inputs, forms, strict=True))).expected()
