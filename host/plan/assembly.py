# SPDX-License-Identifier: Apache-2.0
"""Turn stages into passes: place tensors and constants, generate passes, cut programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import accumulate
from math import inf
from typing import TYPE_CHECKING, cast

from xymac.hdl.isa import Memory
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.memory.constants import Constants

from .graph import name_refusals
from .loads import add_tables, place_constants
from .long_sums import sums_layout
from .operations import check_operations
from .pieces import FreeRows
from .placement import place_layouts
from .program.fillers import fill_waits
from .program.forerunners import insert_forerunners
from .program.segments import cut_program, find_longest
from .program.unroll import unroll_loops
from .reach import GATHERED, fit_fields
from .rows import Rows
from .step import LayerStep
from .streams import stream

if TYPE_CHECKING:
    from xymac.hdl.config import CoreConfig

    from .stages import Stages

__all__ = ["Assembly"]

_WORD = 1  #: Cycles of a constant word that the host writes for every input.


class Assembly:
    """The ``Stages`` programs for a single set of kept outputs.

    Parameters
    ----------
    config : CoreConfig
    stages : Stages
    keep : frozenset of int, indices of layers with outputs that stay in memory
    overwrite, behind, most : see ``place_layouts``

    Attributes
    ----------
    layouts : list of TensorLayout, placed: inputs and states, then each stage's output
    loads, segments, program, steps : see ``Plan``, after ``finish``; before it, ``loads`` has no
        programs
    keeps_all : bool, every layer output stays

    ``of`` and ``finish`` return a Refusal for tensors or constants that do not fit. They raise a
    Refusal for functions that the core lacks.
    """

    def __init__(self, config: CoreConfig, stages: Stages, keep: frozenset[int], *, overwrite: bool,
                 behind: int | None, most: int | None) -> None:
        self._config, self._stages, self._behind = config, stages, behind
        self._keep, self._overwrite, self._most  = keep, overwrite, most
        self._nodes, self._count = stages.nodes, stages.states.stop
        self.keeps_all = len(keep) == len(self._nodes) and not stages.folded

    @classmethod
    def of(cls, config: CoreConfig, stages: Stages, keep: frozenset[int], *, overwrite: bool,
           behind: int | None, most: int | None, reloads: bool = False) -> Assembly | Refusal:
        """The Assembly, with values and constants placed.

        If Y cannot hold all constants, layers take the fewest; if Y cannot hold these either, or
        with ``reloads`` (see ``Plan``), each word written for every input counts as cycles.
        """
        made    = cls(config, stages, keep, overwrite=overwrite, behind=behind, most=most)
        refusal = None
        for step, cycles in enumerate([_WORD] if reloads else [0, inf, _WORD]):
            if not made._weigh_constants(cycles) and step:
                break
            refusal = made._place()
            if not made._rewrites:
                break
        return refusal or made

    @property
    def _parted(self):
        """Whether the host writes the input part by part."""
        return self._behind is not None and self.layouts[0].row == self._behind

    def _place(self, long=False):
        """Place all values and constants; with ``long``, reserve X rows for split-K accumulator
        words. Returns a Refusal, or None.
        """
        self._rewrites = False
        layouts = self._place_values(long, near=self._config.x_bytes > GATHERED)
        if isinstance(layouts, Refusal) and self._config.x_bytes > GATHERED:
            layouts = self._place_values(long, near=False)
        if isinstance(layouts, Refusal):
            return layouts
        self.layouts, behind = layouts, self._config.y_rows
        stages, memories = self._stages.stages, self._memories
        loads = place_constants([stage.lowering.pack_once(self._sources_of(stage), target)
                                 for stage, target in zip(
                                     stages, self._stages.layouts[self._count:], strict=True)],
                                [self._nodes[stage.layer].title for stage in stages],
                                memories[Memory.Y], behind=behind)
        if isinstance(loads, Refusal):
            return loads
        self.loads = loads
        streams = self._parted or any(load.constants[0].y_row == behind for load in loads)
        self._rewrites = streams or len(loads) > 1
        return self._place(long=True) if streams and not long else None

    def _place_values(self, long, *, near):
        """Place the values, after the accumulator words; see ``_place`` and ``place_layouts``."""
        self._memories = memories = {memory: Rows(self._config, memory) for memory in Memory}
        sums = memories[Memory.X].take(long * sums_layout(self._config.ways).rows, "sums")
        if isinstance(sums, Refusal):
            return sums
        self._sums = sums
        return place_layouts(self._stages, memories, self._keep, overwrite=self._overwrite,
                             behind=self._behind, most=self._most, near=near)

    def _weigh_constants(self, cycles):
        """``Lowering.weigh_constants`` of all stages; whether some constants change."""
        layouts = self._stages.layouts
        return any([stage.lowering.weigh_constants(
            tuple(layouts[number] for number in stage.sources), cycles)
            for stage in self._stages.stages])

    def finish(self) -> Refusal | None:
        """Generate the passes: set ``segments``, ``program`` and ``steps``; returns a Refusal, or
        None.
        """
        stages, loads = self._stages.stages, self.loads
        constants_of  = [values for load in loads for values in load.constants]
        made = []
        for number, (stage, values) in enumerate(zip(stages, constants_of, strict=True),
                                                 self._count):
            passes = self._passes_of(stage, self.layouts[number], values)
            if isinstance(passes, Refusal):
                return passes
            made.append(passes)
        tabled = add_tables(loads, [(self._nodes[stage.layer].title, stage.lowering.tables)
                                    for stage in stages], made)
        if isinstance(tabled, Refusal):
            return tabled
        loads, made = tabled
        parts = []
        for load in loads:
            streamed = self._stream(load, made)
            if isinstance(streamed, Refusal):
                return streamed
            parts += streamed
        self.loads = ()
        for load, pairs in parts:
            segments = self._cut(pairs)
            if isinstance(segments, Refusal):
                return segments
            self.loads += (replace(load, segments=segments),)
        self.segments = tuple(segment for load in self.loads for segment in load.segments)
        self.program  = (self.segments[0] if len(self.segments) == 1 else
                         tuple(pass_ for segment in self.segments for pass_ in segment))
        self.steps    = tuple(self._steps(constants_of, [
            stage for _, pairs in parts for stage, _ in pairs]))
        return None

    def _stream(self, load, made):
        """(Load, its passes in order, each with its stage) list, or a Refusal.

        The list has several items where Y cannot hold the only stage's constants at once.
        """
        values, x, y = load.constants[0], self._memories[Memory.X], self._memories[Memory.Y]
        if values.y_row < self._config.y_rows and not self._parted:
            return [(load, self._order([(stage, pass_) for stage in load.stages
                                        for pass_ in made[stage]]))]
        [stage] = load.stages
        rest    = FreeRows(y.longest, x.longest, self._sums, self._config.x_rows)
        parts   = stream(made[stage], values, rest, self._config.ways)
        title   = self._nodes[self._stages.stages[stage].layer].title
        if parts is None and self._parted:
            return cast("Refusal", x.take(max(self.layouts[0].rows, x.longest[1] + 1),
                                          f"{title}: its input"))
        if parts is None:
            return cast("Refusal", y.take(values.y_rows, title))
        return [(replace(load, constants=(Constants(
            part.cells, values.row_cells, y_row=rest.y[0]),), input_row=rest.x[0],
            inputs=tuple((start - rest.behind, end - rest.behind) for start, end in part.inputs)),
            [(stage, pass_) for pass_ in part.passes]) for part in parts]

    def _cut(self, pairs):
        """Programs for the (stage, pass) ``pairs``, or a Refusal of a layer with too many passes
        that cannot be separated.
        """
        passes, most = [pass_ for _, pass_ in pairs], self._config.passes
        first, count = find_longest(passes) if len(passes) > most else (0, 0)
        if count > most:
            title = self._nodes[self._stages.stages[pairs[first][0]].layer].title
            return Refusal(RefusalKind.OPERATOR, f"{title} needs {count} passes in one program",
                           because=f"programs of size {self._config.name} have at most {most}")
        return cut_program(passes, self._config)

    def _order(self, pairs):
        """The (stage, pass) ``pairs`` in a new order, with work in place of waits.

        A single layer's passes keep their order.
        """
        passes  = [pass_ for _, pass_ in pairs]
        alone   = len(self._nodes) == 1
        ordered = [*enumerate(passes)] if alone else fill_waits(passes, self._config)
        stages  = [pairs[index][0] for index, _ in ordered]
        run     = insert_forerunners([[pass_] for _, pass_ in ordered], self._config)
        return [(stage, pass_) for stage, passes in zip(stages, run, strict=True)
                for pass_ in passes]

    def _steps(self, constants_of, stage_of):
        """Yield a LayerStep per layer; its passes include the reorderings inserted for it.

        ``stage_of`` has the stage of each pass of the program.
        """
        stages, last = self._stages.stages, self._stages.last
        numbers_of = [[] for _ in self._nodes]
        for number, stage in enumerate(stages):
            numbers_of[stage.layer].append(number)
        passes_of = [[] for _ in self._nodes]
        for index, number in enumerate(stage_of):
            passes_of[stages[number].layer].append(index)
        loaded, begins = self._count_loaded(), self._find_begins()
        for index, (node, numbers) in enumerate(zip(self._nodes, numbers_of, strict=True)):
            if not numbers:
                yield LayerStep.of_folded(node.layer)
                continue
            own     = next(number for number in numbers if stages[number].is_layer)
            stage, values = stages[own], constants_of[own]
            target  = self.layouts[self._count + own]
            state   = stage.lowering.state_layout(target, values)
            moved   = sum(stages[number].lowering.output.data.size for number in numbers
                          if number != own)
            yield LayerStep(node.layer, self._sources_of(stage),
                       self.layouts[self._stages.final] if index == last else target, values,
                       tuple(passes_of[index]), index in self._keep, stage.lowering.output, state,
                       moved, stage.lowering.is_view and not moved,
                       sum(loaded[number] for number in numbers),
                       len(begins.intersection(passes_of[index])))

    def _count_loaded(self):
        """Counter: constant bytes written before each stage, 0 if a single load has all constants.
        """
        loaded = Counter()
        if len(self.loads) > 1:
            for load in self.loads:
                loaded[load.stages.start] += sum(2 * values.cells.size
                                                 for values in load.constants)
        return loaded

    def _find_begins(self):
        """Set of int: the first pass of each program; empty for a single program."""
        if len(self.segments) <= 1:
            return set()
        return {*accumulate((len(segment) for segment in self.segments[:-1]), initial=0)}

    def _passes_of(self, stage, target, values):
        node   = self._nodes[stage.layer]
        with name_refusals(node, self._nodes):
            passes = stage.lowering.passes(self._sources_of(stage), target, values)
        if stage.lowering.tables and not self._config.capabilities.tables:
            raise Refusal(RefusalKind.OPERATOR, f"{node.title} has a table of its own, and those "
                          f"of size {self._config.name} cannot be written")
        check_operations(passes, node, self._config)
        fitted = fit_fields(passes, node)
        return fitted if isinstance(fitted, Refusal) else unroll_loops(fitted, self._config)

    def _sources_of(self, stage):
        return tuple(self.layouts[number] for number in stage.sources)
