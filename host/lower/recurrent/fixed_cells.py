# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells of fixed-point elements as passes: a whole sequence is a pass loop.

The program copies the constant initial states to the first step's addresses, so that it can run
repeatedly.
"""

from abc import abstractmethod
from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Memory, Move
from xymac.host.ir.recurrent.cells import FixedCell, FixedLstm
from xymac.host.memory.constants import Constants, lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_bias, pack_vectors

from .frames import frame_places, refuse_frames
from .lstm_steps import LstmSteps
from .parts import StepLowering
from .steps import BasicSteps, Sizes

__all__ = ["BasicCellLowering", "FixedLstmLowering"]


class _CellLowering(StepLowering):
    """A cell and its steps.

    Attributes
    ----------
    fields : str tuple, class attribute: initial states, in bias order
    order : int tuple, class attribute: gates in tile order
    in_y : int, class attribute: gate-size vectors kept in Y by the steps
    """

    fields, order, in_y = ("h",), (0,), 0

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        self._count = self.form.steps(x.shape)
        self._batch = self.form.every

    @property
    @abstractmethod
    def steps(self):
        """Step pass class."""

    @property
    def carried(self):
        """Initial state fields for a sequence."""
        return self.fields if self.form.has_steps else ()

    def tile_axes(self):
        """None: a step needs the gates of all outputs."""
        return []

    def source_layouts(self, preferred):
        """A run per step; a single step's input is a single run."""
        [x]   = self.inputs
        rank  = len(x.shape)
        inner = rank - 1 if self.form.has_steps else rank
        return (TensorLayout.of(x, range(rank), self.ways, inner=inner),)

    def refuses(self, sources):
        """An input layout that differs between steps."""
        return refuse_frames(*sources, self._count)

    def target_layout(self, sources):
        """Consecutive outputs, after the gates and the initial state."""
        [source] = sources
        sizes, rank = self._sizes(source), len(self.output.shape)
        target = TensorLayout.of(self.output, range(rank), self.ways,
                                 inner=1 if self._batch else rank)
        gates  = (sizes.gates - 1) * sizes.tiles * BANKS
        before = _rows(gates, target) + _rows(sizes.state_tiles * BANKS, target)
        last   = target.groups - target.pitch + sizes.tiles * BANKS  # an output in whole tiles
        return replace(target, before=before, behind=_rows(last, target) - target.rows)

    def constants(self, sources):
        """Weights, biases and initial states in step order."""
        [source], ways = sources, self.ways
        sizes  = self._sizes(source)
        biases = [self._in_tiles(self.form.bias, sizes), *self.form.begin()]
        room   = self.in_y * _rows(sizes.tiles * BANKS, source.at(0, Memory.Y))
        cells  = [lane_words(np.array([0, 1], np.int8), ways).weights, self._weights(source, sizes)]
        return Constants(np.concatenate(cells), BANKS * ways * ways, room=room,
                         bias=np.concatenate([pack_bias(values, ways) for values in biases]))

    def passes(self, sources, target, constants):
        """Copy the initial state, then run all steps."""
        [source], [x] = sources, self.inputs
        steps = self.steps(self.form, x.bits, self._sizes(source), source, target, constants)
        state, single, loop, times = self._sequence(steps, target.base)
        advance = (len(loop) * steps.sizes.frame, target.pitch if self._batch else 0)
        if steps.is_ahead and times > 1:
            return [*steps.begin(state), *_passes_ahead(steps, *loop, times, advance)]
        before, body = ([pass_ for step in part for pass_ in steps.step(*step)]
                        for part in (single, loop))
        return [*steps.begin(state), *before, *_repeat(body, times, advance)]

    def _sizes(self, source):
        return Sizes.of(self.form, len(self.order), self._count, source)

    def _sequence(self, steps, out):
        """(initial state address, steps before the loop, steps of the loop, repetitions).

        A step is (frame, previous output address, new output address); ``out`` is the first
        output's vector address. If a step must not overwrite its previous output, two addresses
        alternate.
        """
        sizes = steps.sizes
        if self._batch or sizes.steps == 1:
            row = out - sizes.state
            return row, [], [(0, row, out)], sizes.steps
        if steps.in_place:
            return out, [], [(0, out, out)], sizes.steps
        odd, other = sizes.steps % 2, out - sizes.state_tiles * BANKS
        loop = [(odd, out, other), (odd + 1, other, out)]
        return (other if odd else out), [(0, other, out)] * odd, loop, sizes.steps // 2

    def _weights(self, source, sizes):
        """Weight words: per output, a frame's weights, then the state's."""
        size    = self.inputs[0].data.size // sizes.steps
        places  = frame_places(source, self._count)
        weights = self._in_tiles(self.form.weights, sizes)
        frames  = np.where(places < 0, 0, weights[:, places]).astype(weights.dtype)
        return pack_vectors(np.hstack([frames, weights[:, size:]])[:, None], self.ways)

    def _in_tiles(self, values, sizes):
        """Values for every gate's outputs, in whole tiles."""
        gates  = values.reshape(sizes.gates, -1, *values.shape[1:])
        padded = np.zeros((sizes.gates, sizes.tiles * BANKS * self.ways, *gates.shape[2:]),
                          values.dtype)
        padded[:, :gates.shape[1]] = gates
        return padded[list(self.order)].reshape(-1, *gates.shape[2:])


class BasicCellLowering(_CellLowering):
    """A basic cell."""

    forms, steps = (FixedCell,), BasicSteps

    def tile_axes(self):
        """The matrices of a stack."""
        return [(0, 1)] if len(self.output.shape) > 1 and not self.form.has_steps else []

    constant_axes = tile_axes


class FixedLstmLowering(_CellLowering):
    """An LSTM cell; Y stores the new cell state, the candidates and the cell's look-up."""

    forms, steps = (FixedLstm,), LstmSteps
    order, in_y   = (0, 2, 3, 1), 3  #: The candidates are last.
    fields        = "h", "cell"

    def state_layout(self, target, constants):
        """The new cell state is first in the free space of the constants."""
        return TensorLayout.flat(self.layer.cell, self.ways).at(constants.room_row, Memory.Y)


def _repeat(body, times, advance):
    """Passes as a loop with ``times`` iterations."""
    if times == 1:
        return body
    last = replace(body[-1], back=len(body) - 1, repeat=times - 1, advance=advance)
    return [*body[:-1], last]


def _passes_ahead(steps, step, times, advance):
    """Step passes; each step computes the next step's input sums."""
    moves = {move: (times - 1) * distance
             for move, distance in zip((Move.FIRST, Move.SECOND), advance, strict=True)}

    def at_the_end(access):
        return replace(access, base=access.base + moves.get(access.move, 0), move=Move.NONE)

    last = [replace(pass_, x=at_the_end(pass_.operands.x), z=at_the_end(pass_.epilogue.z))
            for pass_ in steps.step_ahead(*step, last=True)]
    return [*steps.enter(step[0]),
            *_repeat(steps.step_ahead(*step, last=False), times - 1, advance), *last]


def _rows(groups, layout):
    """Rows for ``groups`` vectors with elements like in ``layout``."""
    return -(-groups // layout.row_groups)
