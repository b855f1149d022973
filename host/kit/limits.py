# SPDX-License-Identifier: Apache-2.0
"""Limits of a device: values, or relations between quantities."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.host.errors import InputError, suggest

from .facts import QUANTITIES, facts_of
from .operands import operands_of

if TYPE_CHECKING:
    from xymac.host.kit.case import Case
    from xymac.host.kit.device.adapter import Supports

__all__ = ["check_limit", "find_excess"]

_CHANNELS = ("multiplier", "shift")  #: Quantities with a value for every output channel.


def check_limit(quantity: str, limit: Any) -> None:
    """Raise InputError unless ``limit`` is a range, a tuple or a set of values, or a function with
    quantities as arguments.
    """
    if quantity not in QUANTITIES:
        raise InputError(f"There is no quantity {quantity!r} to limit, only "
                         f"{', '.join(QUANTITIES)}{suggest(quantity, QUANTITIES)}")
    if callable(limit):
        unknown = [name for name in _arguments(limit) if name not in QUANTITIES]
        if unknown or not _arguments(limit):
            raise InputError(f"A function that limits {quantity} must take quantities, such as "
                             f"{quantity}, not {', '.join(unknown) or 'nothing'}")
    elif not isinstance(limit, Collection) or isinstance(limit, str) or not limit:
        raise InputError(f"The limit of {quantity} must be a range, a tuple, a set or a function, "
                         f"not {limit!r}")


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
