# SPDX-License-Identifier: Apache-2.0
"""A differing output, and its sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .libraries import has_sums, sums_of
from .model import running_sums, stages

if TYPE_CHECKING:
    from xymac.host.kit.case import Case
    from xymac.host.kit.rule import Rule

__all__ = ["OutputDifference", "difference_of"]

_SHOWN = 8  #: Products and sums to show at either end.


@dataclass(frozen=True, eq=False)
class OutputDifference:
    """A differing output.

    Parameters
    ----------
    case : str, case name
    number : int, case number
    index : tuple, output index
    expected, got : int
    operands : list of (element, weight), without zero points; empty without a model
    parameters : {name: int}, output parameters: bias, multiplier, shifts, zero point, limits
    sums : list of int, the sum after the bias and after every step in the library
    library : {step: int}, the sum's intermediate values in the library
    explained : {step: int} under the found rule, or the best rule; None without a rule
    """

    case:       str
    number:     int
    index:      tuple
    expected:   int
    got:        int
    operands:   list
    parameters: dict
    sums:       list
    library:    dict
    explained:  dict | None

    def lines(self) -> list[str]:
        """Text lines for a person, a list of str."""
        place = ", ".join(map(str, self.index))
        text  = [f"{self.case} [{place}]: expected {self.expected}, got {self.got}"]
        if not self.operands:
            return text
        text.append("products    " + _shorten([f"{one} * {other}" for one, other in self.operands]))
        text.append("sums        " + _shorten(list(map(str, self.sums))))
        text.append("parameters  " + ", ".join(f"{name} {value}"
                                               for name, value in self.parameters.items()))
        text.append("library     " + _steps(self.library))
        if self.explained is not None:
            text.append("this rule   " + _steps(self.explained))
        return text


def _shorten(parts):
    if len(parts) > 2 * _SHOWN:
        parts = [*parts[:_SHOWN], f"... ({len(parts) - 2 * _SHOWN} more)", *parts[-_SHOWN:]]
    return ", ".join(parts)


def _steps(steps):
    return ", ".join(f"{name} {value}" for name, value in steps.items())


_PARAMETERS = {"bias": "bias", "left": "left shift", "factor": "multiplier",
               "early": "first shift", "multiplier": "multiplier", "addend": "addend",
               "shift": "shift", "divisor": "divisor", "zero": "zero point",
               "input_zero": "zero point of the input", "low": "lowest", "high": "highest"}
_NEUTRAL = {"factor": 1, "multiplier": 1, "divisor": 1}  #: Hidden values; 0 by default.
_ALWAYS  = ("shift", "low", "high")


def difference_of(number: int, case: Case, place: int, expected: np.ndarray, got: np.ndarray,
                  rule: Rule | None) -> OutputDifference:
    """OutputDifference for a Case's output at ``place``, a flat index.

    Parameters
    ----------
    number : case number
    expected, got : arrays
    rule : Rule to show beside the library, or None
    """
    index = tuple(int(each) for each in np.unravel_index(place, expected.shape))
    ends  = int(expected.reshape(-1)[place]), int(got.reshape(-1)[place])
    if not has_sums(case):
        return OutputDifference(case.name, number, index, *ends, [], {}, [], {}, None)
    sums      = sums_of(case, np.array([place]))
    narrowing = sums.narrowing
    columns   = {_PARAMETERS[name]: int(getattr(sums, name)[0]) for name in _PARAMETERS
                 if name in _ALWAYS or getattr(sums, name)[0] != _NEUTRAL.get(name, 0)}
    return OutputDifference(
        case.name, number, index, *ends,
        list(zip(sums.elements[:, 0].tolist(), sums.weights[:, 0].tolist(), strict=True)),
        columns, [int(each[0]) for each in running_sums(narrowing, sums)],
        _plain(stages(narrowing, sums)),
        None if rule is None else _plain(stages(narrowing.under(rule), sums)))


def _plain(steps):
    return {name: int(values[0]) for name, values in steps.items()}
