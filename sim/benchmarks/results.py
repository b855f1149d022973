# SPDX-License-Identifier: Apache-2.0
"""Benchmark results, and measured values with limits."""

from dataclasses import dataclass

__all__ = ["MODEL_ERROR", "BenchmarkResult", "Limit", "WrongResultError"]

MODEL_ERROR = 0.02  #: Maximum relative error of the cycle model.


class WrongResultError(Exception):
    """A benchmark whose RTL result differs from the golden kernels."""


@dataclass(frozen=True)
class BenchmarkResult:
    """Benchmark result in RTL; cycles from start to interrupt, ``predicted`` by the cycle
    model.
    """

    benchmark:      str
    cycles:    int
    ideal:     float
    target:    float
    predicted: int

    @property
    def ratio(self):
        """Cycles divided by ideal cycles."""
        return self.cycles / self.ideal

    @property
    def error(self):
        """Relative error in the predicted cycles."""
        return self.predicted / self.cycles - 1

    @property
    def met(self):
        """Whether ratio and prediction are within their targets."""
        return self.ratio <= self.target and abs(self.error) <= MODEL_ERROR


@dataclass(frozen=True)
class Limit:
    """A measured value with its limit, both as display text.

    ``number`` is the compared quantity.
    """

    name:   str
    value:  str
    limit:  str
    met:    bool
    number: float
