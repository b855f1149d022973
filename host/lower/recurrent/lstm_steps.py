# SPDX-License-Identifier: Apache-2.0
"""Passes for an LSTM step.

The new cell state is a single accumulator: saved, restored, looked up and written.
"""

from dataclasses import replace

from xymac.hdl.config import WAYS
from xymac.hdl.isa import BANKS, HELD, Memory, Width
from xymac.host.ir.fields import shift_fields
from xymac.host.lower.sweep import elementwise
from xymac.host.lower.workspace import Tiles
from xymac.host.memory.packing import width_of

from .steps import BasicSteps, TileRange

__all__ = ["LstmSteps"]

GATES = 4
_LONG = 32  #: Fewest cycles per sum that justify an additional pass.


class LstmSteps(BasicSteps):
    """Passes of the LSTM cell: gates in X before the output, their product operands in Y.

    The gate order is input, forget, output, candidates.
    """

    in_place = True

    def __init__(self, form, bits, sizes, source, target, constants):
        super().__init__(form, bits, sizes, source, target, constants)
        groups = self.sizes.tiles * BANKS
        base   = (target.row - target.before) * target.row_groups
        self._gates = Tiles(base, base, base + (GATES - 1) * groups - 1)
        self._fresh, self._keep, self._show = (
            Tiles(first, first, first + groups - 1)
            for first in range(base, base + (GATES - 1) * groups, groups))
        rows = -(-groups // target.at(0, Memory.Y).row_groups)
        self._cell, self._candidates, self._active = (
            Tiles(layout.base, layout.base, layout.base + groups - 1, Memory.Y)
            for layout in (target.at(constants.room_row + index * rows, Memory.Y)
                           for index in range(3)))

    def begin(self, at):
        """Passes to copy the initial output to vector ``at``, and the initial cell state to Y."""
        tiles = self.sizes.gates * self.sizes.tiles + self.sizes.state_tiles
        return [*super().begin(at), self._fill(tiles, self.sizes.tiles, self._cell)]

    def step(self, frame, before, after):
        """Step passes; see ``BasicSteps``."""
        tiles  = self.sizes.tiles
        passes = self._dense(frame, before, self._parts)
        for first in range(0, tiles, HELD):
            passes += self._state(first, min(HELD, tiles - first))
        return [*passes, self._output(after)]

    @property
    def is_ahead(self):
        """Whether a step may compute the next step's input sums.

        This requires input sums longer than an additional pass, and lanes with room to save the
        accumulators of all gates and the state. On cores with fewer MACs per lane, passes wait for
        slots.
        """
        sizes = self.sizes
        steps = GATES * sizes.tiles * max(BANKS, sizes.frame)
        return (self._source.ways == max(WAYS) and steps >= _LONG
                and (GATES + 1) * sizes.tiles <= HELD)

    def enter(self, frame):
        """Passes to save the first step's input sums."""
        return self._hold_inputs(frame, 0, GATES * self.sizes.tiles)

    def step_ahead(self, frame, before, after, *, last):
        """Passes of a step whose input sums are already saved.

        Unless it is the ``last`` step, the next step's input sums fill the waits for gates and
        look-ups.
        """
        count, tiles = GATES * self.sizes.tiles, self.sizes.tiles
        fills = [[] if last else self._hold_inputs(frame + 1, first, first + 2 * tiles, first)
                 for first in (0, 2 * tiles)]
        *state, stored = [*self._state(0, tiles, count), self._output(after)]
        if self._looks_at_once:  # The output does not need the new state.
            state[-1], stored = stored, state[-1]
        return [*self._add_states(before, self._parts, 0, count), *fills[0], *state, stored,
                *fills[1]]

    @property
    def _parts(self):
        """Parts for all gates, with their look-ups."""
        sigmoids = (GATES - 1) * self.sizes.tiles
        sigmoid, tangent, *_ = self._form.looks
        return [TileRange(sigmoids, GATES * self.sizes.tiles, self._candidates, tangent),
                TileRange(0, sigmoids, self._gates, sigmoid)]

    def _output(self, after):
        """New output pass."""
        form, plain = self._form, self._form.active is None
        return self._product(
            self._show, self._cell if plain else self._active, 0, self.sizes.tiles,
            **self._outputs(after).output(0),
            **shift_fields(form.out_shift, form.rounding))

    def _product(self, factor, other, first, tiles, **fields):
        """Pass to multiply two gates elementwise."""
        return elementwise(self._bits, self._bits, x=factor.groups(first),
                           y=other.words(first), y_width=width_of(self._bits),
                           outer=(tiles, 1, 1), **self._park() | fields)

    @property
    def _looks_at_once(self):
        """Whether the look-up can read the new state's accumulator before the state is written."""
        return self._form.active is not None and self._form.active["shift"] == 0

    def _state(self, first, tiles, entry=0):
        """Passes of the new state and its activation for some tiles, saved from ``entry`` on."""
        form = self._form
        passes = self._hold(self._product(self._fresh, self._candidates, first, tiles, entry=entry),
                            form.cell_shift, form.rounding)
        state  = self._product(self._keep, self._cell, first, tiles, resume=True, entry=entry,
                               **shift_fields(form.unit, form.rounding))
        stored = replace(state, **self._cell.output(first))
        if form.active is None:
            return [*passes, stored]
        table, target = form.active, self._active.output(first)
        if self._looks_at_once:
            looked = {name: table[name] for name in ("table", "table_shift", "table_rounding")}
            return [*passes, replace(state, **looked, **target), stored]
        # The argument needs a separate shift, from a copy in X at the input gate's address.
        copied = replace(state, **self._fresh.output(first))
        looked = self._product(self._fresh, self._candidates, first, tiles)
        looked = replace(looked, y=self._ones, y_width=Width.BITS8, **table, **target)
        return [*passes, copied, stored, looked]
