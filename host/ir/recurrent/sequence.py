# SPDX-License-Identifier: Apache-2.0
"""Byte layers with states that persist between calls: an LSTM, and filters with memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import rescale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.golden.array import Array


__all__ = ["GATE", "Filters", "SequenceLstm"]

GATE = 3  #: Scale from a gate's Q3.12 argument to the argument of a curve.
_SIGMOID_SHIFT, _TANGENT_SHIFT = 9, 8  #: Bits between two entries.


@dataclass(frozen=True, eq=False)
class SequenceLstm:
    """Steps of a long short-term memory cell; the gates are input, forget, new, output.

    Parameters
    ----------
    weights : (for the input, for the state), each int64 [gates, units, inputs]
    biases : int64 [gates, units]
    factors : (for input sums, for state sums), each a (multiplier, exponent) per gate
    zeros : (input, state), zero points
    states : golden Arrays, state and cell state [batches, units] before the first step
    products : three (multiplier, exponent): for cell and forget gate, for new values and input
        gate, for tangent and output gate
    limit : int, largest cell element magnitude, or None
    argument : (factor, right shift) from cell elements to the tangent argument
    sizes : tuple of int, sigmoid entries minus a half, 16 fractional bits
    time_major : bool, the first input dimension counts steps, else batches
    """

    weights:    tuple[np.ndarray, np.ndarray]
    biases:     np.ndarray
    factors:    tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]]
    zeros:      tuple[int, int]
    states:     tuple[Array, ...]
    products:   tuple[tuple[int, int], ...]
    limit:      int | None
    argument:   tuple[int, int]
    sizes:      tuple[int, ...]
    time_major: bool

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """Outputs for a byte array."""
        state, cell = (each.data.astype(np.int64) for each in self.states)
        outputs = []
        for x in a if self.time_major else a.swapaxes(0, 1):
            state, cell = self._step(x.astype(np.int64), state, cell)
            outputs.append(state)
        return np.stack(outputs, 0 if self.time_major else 1)

    def _step(self, x, state, cell):
        enter, keep, new, leave = (self._gate(gate, x, state) for gate in range(4))
        enter, keep, leave = map(self._sigmoid, (enter, keep, leave))
        kept, added, shown = self.products
        cell = _scale(keep * cell, kept) + _scale(enter * self._tangent(GATE * new), added)
        low, high = container_clip(16) if self.limit is None else (-self.limit, self.limit)
        cell = np.clip(cell, low, high)
        factor, shift = self.argument
        shown = rescale(self._tangent(cell * factor + (1 << shift >> 1) >> shift) * leave, *shown)
        return np.clip(shown + self.zeros[1], *container_clip(8)), cell

    def _gate(self, gate, x, state):
        """A gate's argument, Q3.12."""
        total = 0
        for part, data in enumerate((x, state)):
            sums   = (data - self.zeros[part]) @ self.weights[part][gate].T
            total += _scale(sums + (0 if part else self.biases[gate]), self.factors[part][gate])
        return np.clip(total, *container_clip(16))

    def _size(self, x, places):
        """Curve above its middle at magnitudes ``x``; flat from the last entry on."""
        sizes = np.array((*self.sizes, self.sizes[-1]))
        index = np.minimum(np.abs(x) >> places, len(self.sizes) - 1)
        return (sizes[index] << places) + (sizes[index + 1] - sizes[index]) * (
            np.abs(x) & (1 << places) - 1)

    def _sigmoid(self, x):
        size = self._size(GATE * x, _SIGMOID_SHIFT)
        return np.where(x >= 0, (1 << 24) + size + (1 << 9), (1 << 24) - size + (1 << 9) - 1) >> 10

    def _tangent(self, x):
        size = self._size(x, _TANGENT_SHIFT)
        return np.where(x >= 0, size + (1 << 7), (1 << 7) - 1 - size) >> 8


@dataclass(frozen=True, eq=False)
class Filters:
    """Input feature products, and sums over the latest products weighted in time.

    Parameters
    ----------
    features : int8 [filters, inputs]
    times : int8 or int16 [filters, memory]
    bias : int64 [units]
    rank : int, filters per unit
    states : tuple of a golden Array, the products [batches, filters * memory] before the call
    factors : (to the state, to the output), (multiplier, exponent) each
    zeros : input, state and output zero points
    """

    features: np.ndarray
    times:    np.ndarray
    bias:     np.ndarray
    rank:     int
    states:   tuple[Array, ...]
    factors:  tuple[tuple[int, int], tuple[int, int]]
    zeros:    tuple[int, int, int]

    @property
    def bits(self) -> int:
        """State element width."""
        return 8 * self.times.itemsize

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for an array [batches, inputs]."""
        to_state, to_output = self.factors
        x_zero, state_zero, zero = self.zeros
        new  = _scale((a.astype(np.int64) - x_zero) @ self.features.astype(np.int64).T, to_state,
                      self.bits)
        half = 1 << self.bits - 1
        new  = (new + state_zero + half) % (2 * half) - half
        kept = self.states[0].data.astype(np.int64).reshape(len(a), *self.times.shape)
        kept = np.concatenate([kept[..., 1:], new[..., None]], axis=2)
        sums = ((kept - state_zero) * self.times).reshape(len(a), len(self.bias), -1).sum(2)
        return np.clip(rescale(sums + self.bias, *to_output) + zero, *container_clip(bits))


def _scale(sums, factor, bits=16):
    """Sums times a factor, saturated."""
    return np.clip(rescale(sums, *factor), *container_clip(bits))
