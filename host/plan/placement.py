# SPDX-License-Identifier: Apache-2.0
"""Place stage inputs and outputs in memory rows."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

from xymac.hdl.isa import Memory
from xymac.host.errors import Refusal

from .reach import GATHERED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xymac.host.memory.layout import TensorLayout

    from .rows import Rows
    from .stages import Stages

__all__ = ["place_layouts"]

_BYTE = 8  #: Bits of elements that gathers do not reach everywhere.


def place_layouts(stages: Stages, memories: Mapping[Memory, Rows], keep: frozenset[int], *,
                  overwrite: bool = False, behind: int | None = None, most: int | None = 0,
                  near: bool = False) -> list[TensorLayout] | Refusal:
    """Assign memory rows to the layouts in ``Stages``.

    Parameters
    ----------
    stages : Stages
    memories : dict, Memory to Rows
    keep : frozenset of int, indices of layers with outputs that stay
    overwrite : bool, outputs replace inputs without other readers, where possible
    behind : int or None, nominal X row for inputs larger than ``most`` rows
    most : int, rows
    near : bool, bytes lie where gathers reach them, if there is room

    If a value's only reader joins it into a larger tensor, it is written as part of the tensor
    where possible. A view has its input's rows. Outputs alternate between X's two ends. Returns a
    list of TensorLayout, or the Refusal of a tensor that does not fit.
    """
    return _Places(stages, keep, overwrite=overwrite, near=near).place(memories, behind, most)


class _Places:
    """Placement in progress; see ``place_layouts``."""

    def __init__(self, stages: Stages, keep: frozenset[int], *, overwrite: bool,
                 near: bool) -> None:
        self._stages, self._keep, self._overwrite = stages.stages, keep, overwrite
        self._near = near
        self._nodes, self._states = stages.nodes, stages.states
        self._keeps_all = len(keep) > max(stage.layer for stage in self._stages)
        self._layouts = stages.layouts[:]
        self._count   = len(self._layouts) - len(self._stages)
        self._homes   = self._find_homes()
        self._placed  = set(range(self._count))  # values with rows

    def place(self, memories: Mapping[Memory, Rows], behind: int | None,
              most: int | None) -> list[TensorLayout] | Refusal:
        """Place all values; returns a list of TensorLayout, or a Refusal."""
        for number, layout in enumerate(self._layouts[:self._count]):
            if behind is not None and number not in self._states and layout.rows > (most or 0):
                self._layouts[number] = layout.at(behind)
                self._placed.remove(number)
                continue
            what = f"{self._title_of_reader(number)}: its {self._name_of_input(number)}"
            row  = self._take(memories[layout.memory], layout, layout.rows, what)
            if isinstance(row, Refusal):
                return row
            self._layouts[number] = layout.at(row)
        self._ends = self._find_ends()
        ending = [[] for _ in range(len(self._stages) + 1)]
        for number, index in enumerate(self._ends):
            ending[index].append(number)
        for index in range(len(self._stages)):
            refusal = self._place_output(index, memories)
            if refusal is not None:
                return refusal
            for number in ending[index]:
                layout = self._layouts[number]
                if (number in self._placed and layout.memory is Memory.X  # Y rows stay: constants
                        and not self._is_kept(number)):
                    memories[Memory.X].release(layout.row - layout.before)
        return self._layouts

    def _take(self, memory, layout, rows, what, *, top=False):
        """First of ``rows`` rows for a layout, near if it should be and there is room."""
        if self._near and memory.memory is Memory.X and layout.bits == _BYTE:
            row = memory.take(rows, what, top=top, below=GATHERED // memory.row_bytes)
            if not isinstance(row, Refusal):
                return row
        return memory.take(rows, what, top=top)

    def _name_of_input(self, number):
        if number in self._states:
            return "state"
        return "input" if self._count == 1 + len(self._states) else f"input {number}"

    def _title_of_reader(self, number):
        """The title of a value's first reader; an input may have none."""
        readers = [stage.layer for stage in self._stages if number in stage.sources]
        return self._nodes[readers[0]].title if readers else "No layer"

    def _is_kept(self, number):
        """Whether a value's rows stay taken: a state, a kept output, the last output, or such a
        part's owner.

        Inputs stay if all outputs stay and nothing may overwrite them.
        """
        if number < self._count:
            return number in self._states or (self._keeps_all and not self._overwrite)
        return (number == len(self._layouts) - 1 or self._is_wanted(number)
                or any(self._is_kept(part) for part, (owner, _) in self._homes.items()
                       if owner == number))

    def _find_ends(self):
        """List of int: last stage that reads each value or its view; beyond all stages for kept
        views.
        """
        ends = [0] * self._count + list(range(len(self._stages)))
        for index, stage in enumerate(self._stages):
            for number in stage.sources:
                ends[number] = index
        for number, stage in zip(count(len(ends) - 1, -1), reversed(self._stages), strict=False):
            if stage.lowering.is_view:
                [source]     = stage.sources
                last         = len(self._stages) if self._is_kept(number) else ends[number]
                ends[source] = max(ends[source], last)
        return ends

    def _place_output(self, index, memories):
        """Place a stage's output, or its owner; returns a Refusal, or None."""
        number, stage = self._count + index, self._stages[index]
        if stage.lowering.is_view:
            self._layouts[number] = stage.lowering.view_of(self._sources_of(stage))
            return None
        owner, part = self._homes.get(number, (number, None))
        if part is None and self._can_overwrite(index, stage):
            [source] = stage.sources
            self._layouts[number] = self._layouts[number].at(self._layouts[source].row)
            self._placed.remove(source)
            self._placed.add(number)
        if owner not in self._placed:
            layout = self._layouts[owner]
            rows   = layout.before + layout.rows + layout.behind
            what   = f"{self._nodes[self._stages[owner - self._count].layer].title}: its output"
            top    = layout.memory is Memory.X and index % 2 == 0  # passes reach low rows of Y only
            row    = self._take(memories[layout.memory], layout, rows, what, top=top)
            if isinstance(row, Refusal):
                return row
            self._layouts[owner] = layout.at(row + layout.before)
            self._placed.add(owner)
        if part is not None:
            self._layouts[number] = part.at(self._layouts[owner].row)
        return None

    def _can_overwrite(self, index, stage):
        """Whether a stage's output can and may have its input's rows."""
        if not self._overwrite or len(stage.sources) > 1:
            return False
        [source] = stage.sources
        here, there = self._layouts[source], self._layouts[self._count + index]
        around = here.before, here.behind, there.before, there.behind
        return (source in self._placed and self._ends[source] == index and not any(around)
                and not self._is_kept(source)
                and here.memory is there.memory is Memory.X and here.rows == there.rows
                and stage.lowering.can_overwrite((here,), there))

    def _find_homes(self):
        """Dict, number to (owner number, TensorLayout): values written as parts of larger tensors.

        These values have no other reader. A stage that changes its parts leaves kept outputs alone.
        """
        readers = Counter(number for stage in self._stages for number in stage.sources)
        homes = {}
        for owner, stage in enumerate(self._stages, self._count):
            parts = stage.lowering.inputs_in_place(self._sources_of(stage), self._layouts[owner])
            homes |= {number: (owner, part)
                      for number, part in zip(stage.sources, parts, strict=True)
                      if part is not None and readers[number] == 1 and self._can_be_part(number)
                      and not (stage.lowering.changes_parts and self._is_wanted(number))}
        return homes

    def _is_wanted(self, number):
        """Whether a value is a kept layer output."""
        if number < self._count:
            return False
        stage = self._stages[number - self._count]
        return stage.is_layer and stage.layer in self._keep

    def _can_be_part(self, number):
        """Whether the producing stage can write a value as part of a larger tensor."""
        layout = self._layouts[number]
        return (number >= self._count
                and self._stages[number - self._count].lowering.writes_runs
                and not layout.before and not layout.behind)

    def _sources_of(self, stage):
        return tuple(self._layouts[number] for number in stage.sources)
