# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells that round every sum, product and table value to 16-bit elements.

Elements have 16 bits and exclude their zero point.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.ir.requantiser import Requantiser

if TYPE_CHECKING:
    from .dense_sums import DenseSums

__all__ = ["Gate", "Gru", "Lstm", "Total"]


@dataclass(frozen=True)
class Gate:
    """A function of a sum or a vector, from a table.

    Parameters
    ----------
    look : Requantiser with a table
    unit : int, an element's weight in the argument
    narrow : Requantiser from table values to elements; None if they are equal
    """

    look:   Requantiser
    unit:   int = 1
    narrow: Requantiser | None = None

    def evaluate(self, elements: np.ndarray) -> np.ndarray:
        """Elements of the function."""
        found = self.look.compute(elements * self.unit)
        return found if self.narrow is None else self.narrow.compute(found)


@dataclass(frozen=True)
class Total:
    """Sum of two vectors.

    Parameters
    ----------
    before : per vector, the (weight, Requantiser) that replaces it first, or None
    words : per vector, a tuple of weights, applied in sequence
    last : Requantiser for the sum
    """

    before: tuple[tuple[int, Requantiser] | None, ...]
    words:  tuple[tuple[int, ...], ...]
    last:   Requantiser

    def evaluate(self, *vectors: np.ndarray) -> np.ndarray:
        """Elements of the sum of two vectors."""
        total = 0
        for vector, first, words in zip(vectors, self.before, self.words, strict=True):
            if first is not None:
                vector = first[1].compute(vector * first[0])
            total = total + vector * sum(words)
        return self.last.compute(total)


@dataclass(frozen=True, eq=False)
class _Cell(ABC):
    """Base class for both cells.

    Parameters
    ----------
    sums : tuple of DenseSums of a frame and the state: the first step's, and the further steps' if
        the state then has another format
    state : int64 [units], initial state
    shown : Requantiser from the state to the output
    every : bool, whether the output has every step, not only the last
    backward : bool, whether the cell begins with the last step
    affine : bool, whether elements have a scale and a zero point
    """

    sums:     tuple[DenseSums, ...]
    state:    np.ndarray
    shown:    Requantiser
    every:    bool
    backward: bool
    affine:   bool

    def begin(self) -> tuple[np.ndarray, ...]:
        """Initial states, the output first."""
        return (self.state,)

    @abstractmethod
    def advance(self, bits: int, number: int, frame: np.ndarray,
                *states: np.ndarray) -> tuple[np.ndarray, ...]:
        """New states after a step with the sums ``number``."""

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for an array [steps, inputs]."""
        states, outputs = self.begin(), []
        for step, frame in enumerate(a[::-1] if self.backward else a):
            states = self.advance(bits, min(step, len(self.sums) - 1), frame, *states)
            outputs.append(self.shown.compute(states[0]))
        return np.array(outputs if self.every else outputs[-1:])


@dataclass(frozen=True, eq=False)
class Lstm(_Cell):
    """Long short-term memory; the gates are input, new, forget and output.

    Parameters
    ----------
    cell : int64 [units], initial cell state
    gates : tuple of Gate
    keep, add, show : product Requantisers: cell state and forget gate, new values and input gate,
        shown cell state and output gate
    total : Total over the first two
    active : Gate of the cell state before it is shown, or None
    stored : Requantiser from the cell state to its elements
    """

    cell:   np.ndarray
    gates:  tuple[Gate, ...]
    keep:   Requantiser
    add:    Requantiser
    show:   Requantiser
    total:  Total
    active: Gate | None
    stored: Requantiser

    def begin(self) -> tuple[np.ndarray, ...]:
        return self.state, self.cell

    def advance(self, bits: int, number: int, frame: np.ndarray,
                *states: np.ndarray) -> tuple[np.ndarray, ...]:
        """New states after a step with the sums ``number``."""
        state, cell = states
        sums = self.sums[number].evaluate(bits, frame, state)
        enter, new, keep, leave = (gate.evaluate(each) for gate, each in zip(self.gates, sums,
                                                                             strict=True))
        cell  = self.total.evaluate(self.keep.compute(cell * keep), self.add.compute(new * enter))
        shown = cell if self.active is None else self.active.evaluate(cell)
        return self.show.compute(shown * leave), cell


@dataclass(frozen=True, eq=False)
class Gru(_Cell):
    """A gated recurrent unit; the gates are update, reset and new.

    Parameters
    ----------
    last : tuple of DenseSums of a frame and the reset state, the counterparts of ``sums``
    gates : tuple of Gate
    keep : tuple of Requantiser for products of a gate and the state, the counterparts of ``sums``
    rest : Requantiser from the negative update gate to its complement
    add : Requantiser for the product of the complement and new values
    total : tuple of Total of this product and the kept state, the counterparts of ``sums``
    """

    last:  tuple[DenseSums, ...]
    gates: tuple[Gate, ...]
    keep:  tuple[Requantiser, ...]
    rest:  Requantiser
    add:   Requantiser
    total: tuple[Total, ...]

    def advance(self, bits: int, number: int, frame: np.ndarray,
                *states: np.ndarray) -> tuple[np.ndarray, ...]:
        """New states after a step with the sums ``number``."""
        [state] = states
        sums = self.sums[number].evaluate(bits, frame, state)
        update, reset = (gate.evaluate(each) for gate, each in zip(self.gates[:2], sums,
                                                                   strict=True))
        seen, kept = (self.keep[number].compute(state * gate) for gate in (reset, update))
        [new] = self.last[number].evaluate(bits, frame, seen)
        added = self.add.compute(self.rest.compute(-update) * self.gates[2].evaluate(new))
        return (self.total[number].evaluate(added, kept),)
