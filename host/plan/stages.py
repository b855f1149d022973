# SPDX-License-Identifier: Apache-2.0
"""List a plan's stages: its layers, and reorderings where a layer needs another layout."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xymac.hdl.isa import CELL_BITS, Memory
from xymac.host.errors import Refusal
from xymac.host.lower.move.bus.bus_bytes import JoinBytesLowering, SplitBytesLowering
from xymac.host.lower.move.bus.pairs import JoinLowering, SplitLowering
from xymac.host.lower.move.reorder import ReorderLowering
from xymac.host.lower.move.strips.restrip import RestripLowering
from xymac.host.lower.move.strips.unstrip import UnstripLowering
from xymac.host.memory.bus_bytes import ByteLayout
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.pairs import PairLayout
from xymac.host.memory.strips import StripLayout

from .graph import name_refusals
from .hints import hint_of
from .stage import Stage
from .turns import choose_turns
from .written import find_strips, prefers_strips, written_layouts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.golden.array import Array
    from xymac.hdl.capabilities import Capabilities

    from .graph import Node
    from .lowerings import Analysis
    from .states import States

__all__ = ["Stages"]

#: Lowering that converts an input, by its layout class.
_SPLITS = {PairLayout: SplitLowering, ByteLayout: SplitBytesLowering}

_IMPOSSIBLE = "impossible"  #: No reordering exists.


class Stages:
    """A plan's stages and their output layouts.

    Readers give layout constraints for each value. A layer that cannot read its inputs in the
    present layout gets them reordered.

    Parameters
    ----------
    nodes : list of Node
    analysis : Analysis; its nodes equal ``nodes`` but for the states
    inputs : Tensors in the input formats
    ways : int, MACs per lane
    states : States, further inputs, in their layers' layouts
    c_order : bool, inputs and the last output have the user's array order, in a single run. 32-bit
        elements are split into halves (see ``PairLayout``); 8-bit elements have the bus order (see
        ``ByteLayout``)
    core : Capabilities of the core
    written : int or None, index into the ``written_layouts`` of an input's only reader; ignored
        beyond their number
    joins : bool, strips are converted to a different height where a layer needs it; otherwise to
        pixels

    Attributes
    ----------
    stages : list of Stage
    layouts : list of TensorLayout, not placed: inputs and states, then each stage's output
    numbers : list of int, indices into ``layouts`` for the inputs and each layer's output; None for
        folded layers
    folded : frozenset of int, folded layer indices
    last : int, last layer index, folded layers excluded
    states : range, the states' indices in ``layouts``
    nodes : list of Node
    final : int, the plan's last output, a value number
    are_written : bool, an input has a host-written layout
    moves_strips : bool, strips are converted, or read as pixels
    joins_strips : bool, strips are converted to other strips

    Refusal naming a layer that cannot read its inputs in any layout.
    """

    def __init__(self, nodes: Sequence[Node], analysis: Analysis, inputs: tuple[Array, ...],
                 ways: int, *, states: States, c_order: bool = False,
                 core: Capabilities | None = None, written: int | None = None,
                 joins: bool = False) -> None:
        self.nodes, self._ways = nodes, ways
        self.folded, self.last = analysis.folded, analysis.last
        self._inputs, self._core = [*inputs, *states.every], core
        self._lowerings = choose_turns(nodes, analysis.lowerings, len(self._inputs),
                                        self.last if c_order else None)
        self.states = states.numbers
        output = self._lowerings[self.last].output
        wanted = self._prefer(TensorLayout.flat(output, ways) if c_order else None)
        self._preferred = wanted
        self.layouts = [self._lay_input(x, layout, c_order=c_order)
                        for layout, x in zip(wanted, inputs, strict=False)]
        self.are_written = self.moves_strips = self.joins_strips = False
        self._joins, self._joined = joins, {}
        if written is not None and not c_order:
            self._write_inputs(len(inputs), written)
        self.layouts += wanted[len(inputs):len(self._inputs)]
        self.stages = []
        self.numbers: list[Any] = list(range(len(self._inputs)))
        for index, node in enumerate(nodes):
            if index in self.folded:
                self.numbers.append(None)
            else:
                self._add_layer(index, node)
        self.final = self.numbers[len(self._inputs) + self.last]
        moved = any(not stage.lowering.is_view for stage in self.stages)
        if c_order and output.bits != CELL_BITS:
            self.final = self._join(output)
        elif c_order or not moved:
            self.final = self._reorder(self.last, self.final, output,
                                       TensorLayout.flat(output, ways), always=not moved)

    def _lay_input(self, x, layout, *, c_order):
        """An input's TensorLayout if its readers prefer ``layout``."""
        if c_order and x.bits != CELL_BITS:
            kind = PairLayout if x.bits > CELL_BITS else ByteLayout
            return kind.of_elements(x, self._ways)
        return TensorLayout.flat(x, self._ways) if c_order or layout is None else layout

    def _write_inputs(self, count, rank):
        """Give the first ``count`` inputs host-written layouts for their readers."""
        for number in range(count):
            layouts = written_layouts(self.nodes, self._lowerings, len(self._inputs), number,
                                      self._inputs[number].shape)
            if rank < len(layouts):
                self.layouts[number] = layouts[rank]
                self.are_written = True

    def _split(self, index, number, kind):
        """Add a Lowering of class ``kind`` that converts the 8- or 32-bit input ``number`` for
        layer ``index``.
        """
        lowering = kind.for_core(self._core, self._inputs[number], self._ways)
        lowering.source_layouts(self._preferred[number])
        self._add(Stage(index, lowering, (number,)),
                  lowering.target_layout((self.layouts[number],)))
        self.numbers[number] = len(self.layouts) - 1

    def _restrip(self, index, node, number):
        """Convert strips to the strip height that layer ``index`` reads; return whether this is
        possible.
        """
        if not self._joins or len(node.sources) > 1:
            return False
        own    = self.numbers[number]
        wanted = find_strips(self.nodes, self._lowerings, len(self._inputs), index,
                              self.layouts[own])
        if wanted is None:
            return False
        lowering = RestripLowering(self._lowerings[number - len(self._inputs)].output, self._ways,
                                   *wanted)
        self._add(Stage(index, lowering, (own,)), lowering.target_layout((self.layouts[own],)))
        self._joined[index, number] = len(self.layouts) - 1
        self.moves_strips = self.joins_strips = True
        return True

    def _unstrip(self, index, number):
        """Convert strips to pixels, for layer ``index`` and later readers."""
        own      = self.numbers[number]
        lowering = UnstripLowering(self._lowerings[number - len(self._inputs)].output, self._ways)
        self._add(Stage(index, lowering, (own,)), lowering.target_layout((self.layouts[own],)))
        self.numbers[number] = len(self.layouts) - 1

    def _join(self, output):
        """Value number for the last output, with 8- or 32-bit elements, in the user's array order.
        """
        index  = self.last
        flat   = TensorLayout.flat(output, self._ways)
        bits   = self.layouts[self.final].bits  # 16 if all elements are indices
        number = self._reorder(index, self.final, output, replace(flat, bits=bits))
        kind     = JoinLowering if output.bits > CELL_BITS else JoinBytesLowering
        lowering = kind.for_core(self._core, output, self._ways)
        self._add(Stage(index, lowering, (number,)),
                  lowering.target_layout((self.layouts[number],)))
        return len(self.layouts) - 1

    def _add_layer(self, index, node):
        """Add a layer's stage, after reorderings for inputs in other layouts."""
        lowering = self._lowerings[index]
        for number in node.sources:
            layout = self.layouts[self.numbers[number]]
            if type(layout) in _SPLITS:
                self._split(index, number, _SPLITS[type(layout)])
            if isinstance(layout, StripLayout) and number >= len(self._inputs) and (
                    not prefers_strips(self.nodes, self._lowerings, len(self._inputs), index,
                                       layout)) and not self._restrip(index, node, number):
                self.moves_strips = True
                if not lowering.reads_strips(layout):
                    self._unstrip(index, number)
        numbers = [self._joined.get((index, number), self.numbers[number])
                   for number in node.sources]
        with name_refusals(node, self.nodes):
            target = lowering.find_target(self._layouts_of(numbers))
        if isinstance(target, Refusal):
            moves = self._choose(index, numbers)
            if moves is None:
                raise target.within(node.title)
            numbers = [number if move is None else self._move(index, number, *move)
                       for number, move in zip(numbers, moves, strict=True)]
            with name_refusals(node, self.nodes):
                target = lowering.target_layout(self._layouts_of(numbers))
        self._add(Stage(index, lowering, tuple(numbers), is_layer=True), target)
        self.numbers.append(len(self.layouts) - 1)

    def _choose(self, index, numbers):
        """For every input a reordering and its output layout, or None if it needs none.

        The layer accepts these layouts, with the fewest moved elements. None if it accepts none.
        """
        lowering = self._lowerings[index]
        sources  = self._layouts_of(numbers)
        blank    = lowering.output
        hints    = [self._preferred[len(self._inputs) + index], None,
                    *(hint_of(source, blank) for source in sources
                      if len(source.shape) == len(blank.shape))]
        choices, seen = [], []
        for hint in hints:
            layouts = lowering.source_layouts(hint)
            if layouts in seen:
                continue
            seen.append(layouts)
            is_read = lowering.refuses(layouts) is None
            moves = [None if _is_same(source, layout) else self._find_move(x, source, layout)
                     for x, source, layout in zip(lowering.inputs, sources, layouts, strict=True)
                     ] if is_read else [_IMPOSSIBLE]
            if _IMPOSSIBLE not in moves:
                choices.append(moves)
        return min(choices, default=None, key=lambda moves: sum([
            move[0].count_moved(source) for move, source in zip(moves, sources, strict=True)
            if move is not None]))

    def _find_move(self, x, source, layout):
        """Reordering of a tensor like ``x`` from ``source`` to ``layout``, and its output layout;
        ``_IMPOSSIBLE`` if there is none.
        """
        lowering  = ReorderLowering.for_core(self._core, x, self._ways, layout)
        target = lowering.find_target((source,))
        return _IMPOSSIBLE if isinstance(target, Refusal) else (lowering, target)

    def _move(self, index, number, lowering, target):
        """Value number for a reordering of value ``number``."""
        self._add(Stage(index, lowering, (number,)), target)
        return len(self.layouts) - 1

    def _reorder(self, index, number, x, layout, *, always=False):
        """Value number for a tensor like ``x`` at ``layout``; adds a reordering if the layout
        differs.
        """
        if _is_same(self.layouts[number], layout) and not always:
            return number
        lowering = ReorderLowering.for_core(self._core, x, self._ways, layout)
        target   = lowering.find_target((self.layouts[number],))
        if isinstance(target, Refusal):
            raise target.within(self.nodes[index].title)
        return self._move(index, number, lowering, target)

    def _add(self, stage, target):
        self.stages.append(stage)
        self.layouts.append(target)

    def _layouts_of(self, numbers):
        return tuple(self.layouts[number] for number in numbers)

    def _prefer(self, last):
        """Preferred TensorLayouts, one per value; None for unread values.

        If readers differ, the layout with the shortest runs wins, because readers that prefer a
        flat layout accept any. ``last`` is the layout constraint on the last output.
        """
        count  = len(self._inputs)
        wanted = [[] for _ in range(count + len(self.nodes))]
        if last is not None:
            wanted[count + self.last].append(last)
        for index, node in reversed(list(enumerate(self.nodes))):
            if index in self.folded:
                continue
            own     = _decide(wanted[count + index])
            layouts = self._lowerings[index].source_layouts(own)
            for layout, number in zip(layouts, node.sources, strict=True):
                wanted[number].insert(0, layout)
        return [_decide(layouts) for layouts in wanted]


def _is_same(layout, other):
    """Whether two layouts have equal element order, padding and memory."""
    return (layout.arrangement, layout.memory) == (other.arrangement, other.memory)


def _decide(layouts):
    if len(layouts) < 2:
        return layouts[0] if layouts else None
    return min(layouts, key=lambda layout: layout.inner).at(0, Memory.X)
