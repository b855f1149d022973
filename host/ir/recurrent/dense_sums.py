# SPDX-License-Identifier: Apache-2.0
"""Sums for a cell's gates, each rounded to 16-bit elements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from xymac.host.ir.fields import ZERO_MAX, container_clip
from xymac.host.ir.requantiser import divide_round
from xymac.host.ir.sums import largest_sum
from xymac.host.ir.tile import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.isa import RoundMode

__all__ = ["DenseInput", "DenseSums", "ScaledSum"]


@dataclass(frozen=True)
class ScaledSum:
    """Product sums for an input and a gate, all with the same scale.

    Parameters
    ----------
    taps : int64 [outputs, inputs], weights
    bias : int64 [outputs], at the products' binary point
    peak : int, largest element magnitude after zero point subtraction
    left : int, zero point that passes do not subtract, negative
    multiplier, shift : int, the scale
    """

    taps:       np.ndarray
    bias:       np.ndarray
    peak:       int
    left:       int
    multiplier: int
    shift:      int

    @property
    def lacks(self) -> np.ndarray:
        """Bias for the zero point that passes do not subtract, int64 [outputs]."""
        return self.left * self.taps.sum(1)

    @property
    def largest(self) -> int:
        """Magnitude bound per product sum, without bias."""
        return largest_sum(self.taps, 0, self.peak)

    @property
    def bound(self) -> int:
        """Magnitude bound per scaled sum, with bias."""
        sums = np.minimum(np.abs(self.bias) + self.peak * np.abs(self.taps).sum(1), 1 << 31)
        return (int(sums.max()) * self.multiplier >> self.shift) + 1


@dataclass(frozen=True, eq=False)
class DenseInput:
    """An input to all gate matrices.

    Parameters
    ----------
    weights : tuple, int64 [outputs, inputs] each, one per gate
    peak : int, largest element magnitude after zero point subtraction
    zero : int, element zero point
    shift : int, from fixed-point sums to the output; None for affine elements
    scaled : tuple of ScaledSum for affine elements, one per gate; else empty
    """

    weights: tuple[np.ndarray, ...]
    peak:    int
    zero:    int = 0
    shift:   int | None = None
    scaled:  tuple[ScaledSum, ...] = ()

    @property
    def taken(self) -> int:
        """Zero point subtracted by passes from every element; a bias absorbs the remainder."""
        return min(max(self.zero, -ZERO_MAX), ZERO_MAX)


@dataclass(frozen=True, eq=False)
class DenseSums:
    """Product sums over several inputs for several gates, rounded separately per input.

    Parameters
    ----------
    inputs : tuple of DenseInput
    biases : tuple, int64 [outputs] per gate, for the first input's sums; fixed-point elements
    rounding : RoundMode
    wide : bool, fixed-point sums of 16-bit weights
    zero, unit : int, affine output zero point and scale
    """

    inputs:   tuple[DenseInput, ...]
    biases:   tuple[np.ndarray, ...]
    rounding: RoundMode
    wide:     bool = False
    zero:     int = 0
    unit:     int = 1

    @property
    def is_affine(self) -> bool:
        """Whether elements have a scale and a zero point."""
        return self.inputs[0].shift is None

    @property
    def gates(self) -> int:
        """Gate count."""
        return len(self.inputs[0].weights)

    def pick(self, numbers: Sequence[int]) -> DenseSums:
        """The sums for some gates in another order."""
        def some(values):
            return tuple(values[number] for number in numbers) if values else values

        return replace(self, biases=some(self.biases), inputs=tuple(replace(
            each, weights=some(each.weights), scaled=some(each.scaled)) for each in self.inputs))

    def split(self, axis: int, first: int, end: int,
              *shapes: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """The form for outputs ``first`` to ``end``, and all input slices: each input whole."""
        own = slice(first, end)
        inputs = tuple(replace(
            given, weights=tuple(each[own] for each in given.weights), scaled=tuple(replace(
                each, taps=each.taps[own], bias=each.bias[own]) for each in given.scaled))
            for given in self.inputs)
        return (replace(self, inputs=inputs, biases=tuple(each[own] for each in self.biases)),
                tuple(map(whole, shapes)))

    def evaluate(self, bits: int, *inputs: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for all gates from signed-integer arrays, [gates, outputs]."""
        outputs = []
        for gate in range(self.gates):
            total = 0
            for number, (given, a) in enumerate(zip(self.inputs, inputs, strict=True)):
                part   = self._part(gate, number, given, a.reshape(-1).astype(np.int64))
                total  = np.clip(total + part, *container_clip(64 if self.wide else 32))
            total = np.clip(total, *container_clip(16)) + self.zero
            outputs.append(np.clip(total, *container_clip(bits)))
        return np.array(outputs)

    def _part(self, gate, number, given, a):
        sums = (given.weights[gate] @ (a - given.zero)).astype(object)
        if not self.is_affine:
            sums = sums + (0 if number else self.biases[gate])
            return divide_round(sums, given.shift, self.rounding)
        scaled = given.scaled[gate]
        return np.clip(divide_round((sums + scaled.bias) * scaled.multiplier, scaled.shift,
                                    self.rounding), *container_clip(32))
