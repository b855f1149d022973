# SPDX-License-Identifier: Apache-2.0
"""What the bench measures: works, and values that keep a limit."""

from dataclasses import dataclass

__all__ = ["MODEL_ERROR", "Limit", "WorkResult", "WrongResultError"]

MODEL_ERROR = 0.02  #: Of the cycle model.


class WrongResultError(Exception):
    """A work whose result in RTL is not that of the golden kernels."""


@dataclass(frozen=True)
class WorkResult:
    """One work in RTL; cycles from start to interrupt, ``predicted`` by the cycle model."""

    work:      str
    cycles:    int
    floor:     float
    target:    float
    predicted: int

    @property
    def ratio(self):
        """Cycles over floor."""
        return self.cycles / self.floor

    @property
    def error(self):
        """Of the prediction, relative to the cycles."""
        return self.predicted / self.cycles - 1

    @property
    def met(self):
        """Whether ratio and prediction are within their targets."""
        return self.ratio <= self.target and abs(self.error) <= MODEL_ERROR


@dataclass(frozen=True)
class Limit:
    """A measured value and the limit it has to keep, both as a user reads them.

    ``number`` is what of the value is compared.
    """

    name:   str
    value:  str
    limit:  str
    met:    bool
    number: float
