# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells in which every sum, product and look-up is rounded to elements.

Elements have 16 bits and exclude their zero point.
"""

from dataclasses import dataclass, replace

import numpy as np

from .fields import ZERO_MAX, container_clip
from .requantiser import Requantiser, divide_round
from .sums import largest_sum
from .tile import whole

__all__ = ["DenseInput", "DenseSums", "Gate", "Gru", "Lstm", "ScaledSum", "Total"]


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
    def lacks(self):
        """Bias for the zero point that passes do not subtract, int64 [outputs]."""
        return self.left * self.taps.sum(1)

    @property
    def largest(self):
        """Magnitude bound per product sum, without bias."""
        return largest_sum(self.taps, 0, self.peak)

    @property
    def bound(self):
        """Magnitude bound per scaled sum, with bias."""
        sums = np.minimum(np.abs(self.bias) + self.peak * np.abs(self.taps).sum(1), 1 << 31)
        return (int(sums.max()) * self.multiplier >> self.shift) + 1


@dataclass(frozen=True, eq=False)
class DenseInput:
    """An input to the matrices of all gates.

    Parameters
    ----------
    weights : tuple of int64 [outputs, inputs], one per gate
    peak : int, largest element magnitude after zero point subtraction
    zero : int, zero point of the elements
    shift : int, from fixed-point sums to the output; None for affine elements
    scaled : tuple of ScaledSum for affine elements, one per gate; else empty
    """

    weights: tuple
    peak:    int
    zero:    int = 0
    shift:   int | None = None
    scaled:  tuple = ()

    @property
    def taken(self):
        """Zero point subtracted by passes from every element; a bias absorbs the remainder."""
        return min(max(self.zero, -ZERO_MAX), ZERO_MAX)


@dataclass(frozen=True, eq=False)
class DenseSums:
    """For several gates, sums of the products of several inputs, rounded separately per input.

    Parameters
    ----------
    inputs : tuple of DenseInput
    biases : tuple of int64 [outputs] per gate, of the first input's sums; fixed-point elements
    rounding : RoundMode
    wide : bool, fixed-point sums of 16-bit weights
    zero, unit : int, zero point and scale of affine outputs
    """

    inputs:   tuple
    biases:   tuple
    rounding: object
    wide:     bool = False
    zero:     int = 0
    unit:     int = 1

    @property
    def is_affine(self):
        """Whether elements have a scale and a zero point."""
        return self.inputs[0].shift is None

    @property
    def gates(self):
        """Number of gates."""
        return len(self.inputs[0].weights)

    def pick(self, numbers):
        """The sums of some gates in another order."""
        def some(values):
            return tuple(values[number] for number in numbers) if values else values

        return replace(self, biases=some(self.biases), inputs=tuple(replace(
            each, weights=some(each.weights), scaled=some(each.scaled)) for each in self.inputs))

    def split(self, axis, first, end, *shapes):
        """The form for outputs ``first`` to ``end``, and the slices of all inputs: all of each."""
        own = slice(first, end)
        inputs = tuple(replace(
            given, weights=tuple(each[own] for each in given.weights), scaled=tuple(replace(
                each, taps=each.taps[own], bias=each.bias[own]) for each in given.scaled))
            for given in self.inputs)
        return (replace(self, inputs=inputs, biases=tuple(each[own] for each in self.biases)),
                tuple(map(whole, shapes)))

    def evaluate(self, bits, *inputs):
        """``bits``-bit outputs of all gates for signed-integer arrays, [gates, outputs]."""
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


@dataclass(frozen=True)
class Gate:
    """A function of a sum or of a vector, by look-up.

    Parameters
    ----------
    look : Requantiser with a table
    unit : int, weight of an element in the argument
    narrow : Requantiser from table values to elements; None if they are equal
    """

    look:   Requantiser
    unit:   int = 1
    narrow: Requantiser | None = None

    def evaluate(self, elements):
        """Elements of the function."""
        found = self.look.compute(elements * self.unit)
        return found if self.narrow is None else self.narrow.compute(found)


@dataclass(frozen=True)
class Total:
    """Sum of two vectors.

    Parameters
    ----------
    before : for each vector (weight, Requantiser) that replaces it first, or None
    words : for each vector a tuple of weights that apply one after the other
    last : Requantiser of the sum
    """

    before: tuple
    words:  tuple
    last:   Requantiser

    def evaluate(self, *vectors):
        """Elements of the sum of two vectors."""
        total = 0
        for vector, first, words in zip(vectors, self.before, self.words, strict=True):
            if first is not None:
                vector = first[1].compute(vector * first[0])
            total = total + vector * sum(words)
        return self.last.compute(total)


@dataclass(frozen=True, eq=False)
class _Cell:
    """Base of both cells.

    Parameters
    ----------
    sums : tuple of DenseSums of a frame and the state, for the first step, and for further steps
        if the state then has another format
    state : int64 [units], initial state
    shown : Requantiser from the state to the output
    every : bool, the output has every step, else the last
    backward : bool, the cell begins with the last step
    affine : bool, elements have a scale and a zero point
    """

    sums:     tuple
    state:    np.ndarray
    shown:    Requantiser
    every:    bool
    backward: bool
    affine:   bool

    def begin(self):
        """Initial states, the output first."""
        return (self.state,)

    def evaluate(self, bits, a):
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
    keep, add, show : Requantisers of products: cell state and forget gate, new values and input
        gate, shown cell state and output gate
    total : Total of the first two
    active : Gate of the cell state before it is shown, or None
    stored : Requantiser from the cell state to its elements
    """

    cell:   np.ndarray
    gates:  tuple
    keep:   Requantiser
    add:    Requantiser
    show:   Requantiser
    total:  Total
    active: Gate | None
    stored: Requantiser

    def begin(self):
        return self.state, self.cell

    def advance(self, bits, number, frame, state, cell):
        """New states after a step with the sums ``number``."""
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
    keep : tuple of Requantiser of products of a gate and the state, the counterparts of ``sums``
    rest : Requantiser from the negative update gate to its complement
    add : Requantiser of the product of the complement and new values
    total : tuple of Total of this product and the kept state, the counterparts of ``sums``
    """

    last:  tuple
    gates: tuple
    keep:  tuple
    rest:  Requantiser
    add:   Requantiser
    total: tuple

    def advance(self, bits, number, frame, state):
        """New states after a step with the sums ``number``."""
        sums = self.sums[number].evaluate(bits, frame, state)
        update, reset = (gate.evaluate(each) for gate, each in zip(self.gates[:2], sums,
                                                                   strict=True))
        seen, kept = (self.keep[number].compute(state * gate) for gate in (reset, update))
        [new] = self.last[number].evaluate(bits, frame, seen)
        added = self.add.compute(self.rest.compute(-update) * self.gates[2].evaluate(new))
        return (self.total[number].evaluate(added, kept),)
