# SPDX-License-Identifier: Apache-2.0
"""Passes for a recurrent cell's step, and the basic cell's step.

The lanes save the sums of bias and input, shifted to the binary point of the previous output. The
next pass restores the sums and adds the previous output's products. A *tile* has an output per
lane.
"""

from dataclasses import dataclass, replace

from xymac.hdl.isa import (
    BANKS,
    CELL_BITS,
    HELD,
    SHIFT_MAX,
    SHIFT_MIN,
    Access,
    AccumulatorRange,
    Move,
    Pass,
    Shape,
    bias_rows,
)
from xymac.host.ir.fields import container_clip, shift_fields
from xymac.host.lower.workspace import Matrix, Tiles
from xymac.host.memory.packing import width_of

__all__ = ["BasicSteps", "Sizes", "TileRange"]

#: Largest effective left shifts: beyond, every nonzero sum saturates or is shifted out.
_LEFT = {AccumulatorRange.BITS32: 31, AccumulatorRange.BITS40: 40}


@dataclass(frozen=True)
class Sizes:
    """A recurrent cell's sizes on a core.

    Parameters
    ----------
    steps : int
    frame, state : int, vectors per step input, and per previous output
    gates : int, 1 for the basic cell
    tiles : int, tiles per gate; for a basic cell, in all matrices together
    state_tiles : int, state tiles
    """

    steps:       int
    frame:       int
    state:       int
    gates:       int
    tiles:       int
    state_tiles: int

    @classmethod
    def of(cls, form, gates, steps, source):
        """Sizes of ``form`` with ``gates`` gates for an input at the TensorLayout ``source``."""
        state = -(-form.state.size // source.ways)
        tiles = -(-form.bias.size // (gates * BANKS * source.ways))
        return cls(steps, source.groups // steps, state, gates, tiles, -(-state // BANKS))


@dataclass(frozen=True)
class TileRange:
    """Tiles ``first`` to ``last - 1`` of the matrix, with their destination and look-up."""

    first:  int
    last:   int
    tiles:  Tiles
    fields: dict


class BasicSteps:
    """Basic cell passes.

    Parameters
    ----------
    form : FixedCell
    bits : int, element width
    sizes : Sizes
    source, target : placed TensorLayouts
    constants : placed Constants: a word of zeros, a word of ones, then per output the frame weights
        and state weights; all gate biases, then the initial state
    """

    in_place = False  #: Whether the new output may overwrite the previous one.
    is_ahead = False  #: Whether a step can save the next step's input sums.

    def __init__(self, form, bits, sizes, source, target, constants):
        self.sizes = sizes
        self._form, self._bits = form, bits
        self._source, self._target, self._constants = source, target, constants
        self._formats = {"x_width": width_of(bits), "z_width": width_of(bits),
                         "clip": container_clip(bits)}
        self._zeros, self._ones = (constants.word(index, 8, source.ways) for index in range(2))
        last = target.groups - target.pitch + self.sizes.tiles * BANKS
        self._window = target.base - self.sizes.state_tiles * BANKS, target.base + last - 1

    def begin(self, at):
        """Passes to copy the initial state to vector ``at`` for the first step."""
        tiles = self.sizes.gates * self.sizes.tiles
        return [self._fill(tiles, self.sizes.state_tiles, self._outputs(at))]

    def step(self, frame, before, after):
        """Step passes.

        Parameters
        ----------
        frame : int, loop step with the passes' input
        before, after : int, vector addresses of the previous and new output; equal only if
            ``in_place``
        """
        look = dict(*self._form.looks)
        part = TileRange(0, self.sizes.tiles, self._outputs(after), look)
        return self._dense(frame, before, [part])

    def _outputs(self, at):
        return Tiles(at, *self._window, move=Move.SECOND)

    def _idle(self, tiles, **fields):
        """Pass without products."""
        return Pass(outer=(tiles, 1, 1), x=self._source.access(), y=self._zeros,
                    y_shape=Shape.LANES, **self._formats | self._park() | fields)

    def _park(self):
        """Fields of a pass without an output: a harmless write window."""
        base = self._target.base
        return {"z": Access(base, base, base + BANKS - 1)}

    def _fill(self, first, tiles, target):
        """Pass to write ``tiles`` bias tiles from ``first`` on."""
        row = self._constants.y_row + first * bias_rows(self._source.ways)
        return self._idle(tiles, bias_row=row, **target.output(0))

    def _hold(self, pass_, shift, rounding):
        """``pass_`` with its sums saved; further passes complete a large left shift."""
        accumulate = pass_.accumulate
        first, *others = _shifts(shift, accumulate.acc_range)
        held  = replace(pass_, hold=True, shift=first, rounding=rounding, **self._park())
        moved = [self._idle(pass_.loop.outer[0], hold=True, resume=True, shift=other,
                            entry=accumulate.entry, acc_range=accumulate.acc_range)
                 for other in others]
        return [held, *moved]

    def _dense(self, frame, before, parts):
        """Passes of the matrix, with as many tiles at once as the lanes can save."""
        tiles, passes = self.sizes.gates * self.sizes.tiles, []
        for first in range(0, tiles, HELD):
            last = min(first + HELD, tiles)
            passes += self._hold_inputs(frame, first, last)
            passes += self._add_states(before, parts, first, last)
        return passes

    def _hold_inputs(self, frame, first, last, entry=0):
        """Passes to save input sums for some tiles from slot ``entry`` on."""
        sizes  = self.sizes
        frames = replace(self._source.access(taps=(0, 0, 1), offset=frame * sizes.frame),
                         move=Move.FIRST)
        row    = self._constants.y_row + first * bias_rows(self._source.ways)
        held   = self._matrix(first, last, frames, 0, sizes.frame, bias_row=row, entry=entry)
        return self._hold(held, *self._form.align)

    def _add_states(self, before, parts, first, last):
        """Passes, one per part, to add the previous output's products to saved sums."""
        form, sizes = self._form, self.sizes
        states = replace(self._outputs(before).groups(0), outer=(0, 0, 0), taps=(0, 0, 1))
        for part in parts:
            low, high = max(first, part.first), min(last, part.last)
            if low < high:
                yield self._matrix(
                    low, high, states, sizes.frame, sizes.state, resume=True, entry=low - first,
                    **part.tiles.output(low - part.first), **part.fields,
                    **shift_fields(form.shift, form.rounding))

    def _matrix(self, first, last, x, column, groups, **fields):
        """Pass over tiles ``first`` to ``last - 1``, and over ``groups`` input vectors from
        ``column`` on.
        """
        bits   = 8 * self._form.weights.itemsize
        matrix = Matrix((self._constants.weights_row + 1) * (CELL_BITS // bits), bits,
                        self.sizes.gates * self.sizes.tiles, self.sizes.frame + self.sizes.state)
        y = matrix.access(first, column)
        return Pass(outer=(last - first, 1, 1), taps=(1, 1, groups), x=x, y=y,
                    y_width=width_of(bits), acc_range=self._form.acc_range,
                    **self._formats | self._park() | fields)


def _shifts(shift, acc_range):
    """Shifts for successive passes with the total ``shift``, limited to the largest effective left
    shift.
    """
    left = min(-shift, _LEFT[acc_range])
    return [min(max(done - left, SHIFT_MIN), SHIFT_MAX)
            for done in range(0, max(left, 1), -SHIFT_MIN)]
