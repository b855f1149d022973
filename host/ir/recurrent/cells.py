# SPDX-License-Identifier: Apache-2.0
"""Fixed-point recurrent cells, whose input sums move to the state's binary point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from xymac.hdl.isa import AccumulatorRange, RoundMode
from xymac.host.ir.fields import container_clip
from xymac.host.ir.requantiser import Requantiser
from xymac.host.ir.tile import whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = ["FixedCell", "FixedLstm"]


@dataclass(frozen=True, eq=False)
class FixedCell:
    """A basic cell: the output is a function of the input and the previous output.

    Parameters
    ----------
    weights : int8 or int16 [rows, inputs + units], the input columns first; the rows are all gates'
        outputs
    bias : int64 [rows], at the input products' binary point
    state : int64 [units], initial output
    has_steps : bool, the first input dimension counts steps
    every : bool, the output has every step, else the last
    acc_range : AccumulatorRange for all sums
    align : (shift, RoundMode) from input sums to sums with the state
    shift : int, from these sums to elements
    rounding : RoundMode
    looks : tuple of dict, look-up fields per gate; empty without an activation
    """

    weights:   np.ndarray
    bias:      np.ndarray
    state:     np.ndarray
    has_steps: bool
    every:     bool
    acc_range: AccumulatorRange
    align:     tuple[int, RoundMode]
    shift:     int
    rounding:  RoundMode
    looks:     tuple[dict[str, Any], ...]

    gates = 1

    def steps(self, shape: tuple[int, ...]) -> int:
        """Steps of an input with shape ``shape``."""
        return shape[0] if self.has_steps else 1

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a signed-integer array."""
        frames  = a.reshape(self.steps(a.shape), -1).astype(np.int64)
        weights = self.weights.astype(np.int64)
        shift, rounding = self.align
        wide    = 40 if self.acc_range is AccumulatorRange.BITS40 else 32
        sums    = Requantiser(wide, (), {"shift": shift, "rounding": rounding}).compute(
            frames @ weights[:, :frames.shape[1]].T + self.bias)
        states, outputs = self.begin(), []
        for each in sums:
            total  = each + weights[:, frames.shape[1]:] @ states[0]
            states = self.advance(bits, states, [self._gate(bits, *part) for part in zip(
                np.split(total, self.gates), self.looks or ({},), strict=True)])
            outputs.append(states[0])
        return np.array(outputs if self.every else outputs[-1])

    def split(self, axis: int, first: int, end: int,
              shape: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """The form for matrices ``first`` to ``end`` of a stack, and the input slices: the whole
        input.
        """
        rows = slice(first * len(self.state), end * len(self.state))
        return replace(self, weights=self.weights[rows], bias=self.bias[rows]), (whole(shape),)

    def begin(self) -> tuple[np.ndarray, ...]:
        """Initial states, the output first."""
        return (self.state,)

    def advance(self, bits: int, states: Sequence[np.ndarray],
                gates: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """New states from the previous states and all gates."""
        return gates

    def _gate(self, bits, total, look):
        return self.scale(bits, total, self.shift, look)

    def scale(self, bits: int, sums: np.ndarray, shift: int,
              fields: Mapping[str, Any] | tuple = ()) -> np.ndarray:
        """``bits``-bit elements for sums shifted to the right and rounded."""
        return Requantiser(bits, (), {"shift": shift, "rounding": self.rounding,
                                      **dict(fields)}).compute(sums)


@dataclass(frozen=True, eq=False)
class FixedLstm(FixedCell):
    """A long short-term memory cell; the gates are input, candidates, forget, output.

    Parameters
    ----------
    cell : int64 [units], initial cell state
    unit : int, fractional gate bits
    cell_shift : int, from a product of two gates to a product of a gate and the cell state
    active : dict, look-up fields for the cell state; None without an activation
    out_shift : int, from a product with the output gate to the output
    """

    cell:       np.ndarray
    unit:       int
    cell_shift: int
    active:     dict[str, Any] | None
    out_shift:  int

    gates = 4

    def begin(self) -> tuple[np.ndarray, np.ndarray]:
        return self.state, self.cell

    def advance(self, bits: int, states: Sequence[np.ndarray],
                gates: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        fresh, candidates, keep, show = gates
        total = self.scale(32, fresh * candidates, self.cell_shift) + keep * states[1]
        cell  = shown = self.scale(bits, total, self.unit)
        if self.active is not None:
            shown = Requantiser(bits, (), self.active).compute(np.clip(cell, *container_clip(bits)))
        return self.scale(bits, shown * show, self.out_shift), cell
