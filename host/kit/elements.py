# SPDX-License-Identifier: Apache-2.0
"""Operands for a case, a single output element at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .operands import operands_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xymac.host.kit.case import Case

__all__ = ["elements_of"]

#: Operations whose output elements need one element of every input.
_OPERATIONS = ("requantise", "add", "sub", "mul", "relu", "sigmoid", "tanh")
_CHANNEL    = ("multiplier", "shift")  #: Operands with one value, or one per channel (last axis).


def elements_of(case: Case) -> Iterator[dict[str, int]]:
    """Iterator over int dicts; see ``Case.elements``."""
    if case.operation not in _OPERATIONS:
        raise ValueError(f"Outputs of {case.operation} of {case.dialect} need more than one "
                         f"element of each input")
    operands = operands_of(case)
    wide     = {name: value for name, value in operands.items() if np.ndim(value)}
    for name in _CHANNEL:
        if name in wide:
            wide[name] = _spread(wide[name], case.shape[-1])
    arrays = dict(zip(wide, np.broadcast_arrays(*wide.values()), strict=True))
    narrow = {name: int(value) for name, value in operands.items() if name not in wide}
    for values in zip(*(array.ravel().tolist() for array in arrays.values()), strict=True):
        yield narrow | dict(zip(arrays, values, strict=True))


def _spread(values, channels):
    """One value per channel; shorter lists repeat."""
    return [values[channel % len(values)] for channel in range(channels)]
