# SPDX-License-Identifier: Apache-2.0
"""Lowerings that determine their memory by building their passes, once.

The pass accesses are relative to areas and are placed when the areas have rows.
"""

from abc import abstractmethod
from dataclasses import replace

from .base import Lowering
from .relative import Area, place_passes
from .workspace import Workspace

__all__ = ["MadeOnce"]


class MadeOnce(Lowering):
    """A Lowering whose passes come from ``make``, called once per input arrangement.

    The passes' scratch vectors precede the output.
    """

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._made = {}

    @abstractmethod
    def output_layout(self, sources):
        """Unplaced output TensorLayout, without scratch in front; see ``target_layout``."""

    @abstractmethod
    def make(self, space, sources, target):
        """Passes with RelativeAccesses into allocations from the Workspace ``space``.

        ``sources`` and ``target`` are not placed.
        """

    def target_layout(self, sources):
        target = self.output_layout(sources)
        space, _ = self._make_once(sources)
        return replace(target, before=space.x_rows)

    def constants(self, sources):
        space, _ = self._make_once(sources)
        return space.constants()

    def passes(self, sources, target, constants):
        space, passes = self._make_once(sources)
        rows = {number: source.row for number, source in enumerate(sources)}
        rows |= {Area.TARGET: target.row, Area.VECTORS: target.row - target.before}
        return place_passes(passes, rows | space.rows_of(constants))

    def _make_once(self, sources):
        """Workspace and passes for inputs like ``sources``, independent of their rows."""
        sources = tuple(source.at(0) for source in sources)
        if sources not in self._made:
            space = Workspace(self.ways)
            self._made[sources] = space, self.make(space, sources, self.output_layout(sources))
            self.tables = tuple(space.tables)
        return self._made[sources]
