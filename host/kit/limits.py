# SPDX-License-Identifier: Apache-2.0
"""Limits of a device: values, or relations between quantities."""

from __future__ import annotations

import inspect
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.host.errors import InputError, suggest

from .facts import QUANTITIES, facts_of
from .operands import operands_of

if TYPE_CHECKING:
    from xymac.host.kit.case import Case
    from xymac.host.kit.device.adapter import Supports

__all__ = ["check_limit", "check_quantity", "describe_excess", "describe_limit", "find_excess"]

_CHANNELS = ("multiplier", "shift")  #: Quantities with a value for every output channel.
#: Quantities whose values are words, with the words of quantities that have few; ``scales`` has an
#: int too.
_WORDS = {"bias": ("none", "zero", "other"), "scales": (1, "each output"), "activation": (),
          "layout": ("CHW", "HWC"), "rounding": (), "build": ()}
_SHOWN = 6  #: Largest number of values of a limit in a sentence.


def check_quantity(quantity: str) -> None:
    """Raise InputError unless there is a ``quantity`` of this name."""
    if quantity not in QUANTITIES:
        raise InputError(f"There is no quantity {quantity!r} to limit, only "
                         f"{', '.join(QUANTITIES)}{suggest(quantity, QUANTITIES)}")


def check_limit(quantity: str, limit: Any) -> None:
    """Raise InputError unless ``limit`` is a range, a tuple or a set of values, or a function with
    quantities as arguments.

    Values are ints, or words for ``bias``, ``scales``, ``activation``, ``layout``, ``rounding`` and
    ``build``.
    """
    check_quantity(quantity)
    if callable(limit):
        unknown = [name for name in _arguments(limit) if name not in QUANTITIES]
        if unknown or not _arguments(limit):
            raise InputError(f"A function that limits {quantity} must take quantities, such as "
                             f"{quantity}, not {', '.join(unknown) or 'nothing'}")
    elif not isinstance(limit, range | tuple | list | set | frozenset) or not limit:
        raise InputError(f"The limit of {quantity} must be a range, a tuple, a set or a function, "
                         f"not {limit!r}")
    elif quantity in _WORDS:
        _check_words(quantity, limit)
    elif quantity == "shape":
        _check_shapes(limit)
    elif not isinstance(limit, range):
        wrong = [value for value in limit
                 if isinstance(value, bool) or not isinstance(value, Integral)]
        if wrong:
            raise InputError(f"The values of {quantity} must be ints, not {wrong[0]!r}")


def _check_words(quantity, limit):
    """Raise InputError unless the limit holds only the quantity's words."""
    known = _WORDS[quantity]
    for value in limit:
        is_kind = type(value) is str or (quantity == "scales" and type(value) is int)
        if not is_kind or (known and value not in known):
            names = " or ".join(map(str, known)) if known else "words"
            raise InputError(f"The values of {quantity} must be {names}, not {value!r}")


def _check_shapes(limit):
    """Raise InputError unless the limit holds only tuples with sizes."""
    for shape in limit:
        if not isinstance(shape, tuple) or not shape or not all(
                type(size) is int and size > 0 for size in shape):
            raise InputError(f"The values of shape must be tuples of sizes from 1 on, such as "
                             f"(2, 8, 3), not {shape!r}")


def describe_limit(quantity: str, limit: Any) -> str:
    """Words for a quantity with its limit in a sentence."""
    if callable(limit):
        return f"{quantity} within its function"
    return f"{quantity} of {_values(limit)}"


def describe_excess(support: Supports, quantity: str, *, are_cases: bool) -> str:
    """Words for a quantity beside which a report lists the values left out, or their cases' number.

    A function of several quantities leaves out combinations, whose values may have other cases.
    """
    limit = support.limits.get(quantity)
    names = _arguments(limit) if callable(limit) else ()
    if len(names) < 2:
        return quantity
    both = f"{', '.join(names[:-1])} and {names[-1]}"
    return both if are_cases else f"combinations of {both}, with {quantity}"


def _values(limit):
    if isinstance(limit, range):
        return f"{limit[0]} to {limit[-1]}" + (f" in steps of {abs(limit.step)}" if abs(
            limit.step) > 1 and len(limit) > 1 else "") if len(limit) > 1 else str(limit[0])
    values = list(limit)
    if len(values) > _SHOWN:
        return f"{', '.join(map(str, values[:_SHOWN]))} and {len(values) - _SHOWN} others"
    return " or ".join(map(str, values))


def find_excess(support: Supports, case: Case) -> tuple[str, Any] | None:
    """(quantity, value) for a Case's first quantity outside a Supports's limits, or None."""
    if not support.limits:
        return None
    facts    = facts_of(case)
    operands = {} if case.operation == "network" else operands_of(case)
    values   = {name: (value,) for name, value in facts.items()} | _ends(operands) | {
        name: sorted(set(np.ravel(operands[name]).tolist())) for name in _CHANNELS
        if name in operands}
    for quantity, limit in support.limits.items():
        if callable(limit):
            try:
                is_held = _holds(limit, facts, operands)
            except Exception as error:  # whatever a user's function raises
                raise InputError(f"The function that limits {quantity} raised "
                                 f"{type(error).__name__}: {error}") from error
            if not is_held:
                return quantity, facts.get(quantity)
            continue
        for value in values.get(quantity, ()):
            if value not in limit:
                return quantity, value
    return None


def _arguments(function):
    """Names of a function's arguments, empty if Python cannot tell."""
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def _holds(function, facts, operands):
    """Whether a relation holds for a case, in every channel; a relation with a quantity that the
    case has not holds.
    """
    names = _arguments(function)
    if any(name not in facts for name in names):
        return True
    wide = [name for name in names if name in _CHANNELS and name in operands]
    rows = {tuple(row) for row in zip(*(np.ravel(operands[name]).tolist() for name in wide),
                                      strict=True)} if wide else {()}
    return all(bool(function(**{name: facts[name] for name in names}
                             | dict(zip(wide, row, strict=True)))) for row in rows)


def _ends(operands):
    """Lowest and highest input and weight elements, if a case has them."""
    arrays = {"input": [operands[name] for name in ("acc", "x", "z") if name in operands],
              "weights": [operands["weights"]] if "weights" in operands else []}
    return {name: [int(end) for each in held for end in (each.min(), each.max())]
            for name, held in arrays.items()}
