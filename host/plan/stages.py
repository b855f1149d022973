# SPDX-License-Identifier: Apache-2.0
"""What a plan runs: its layers, and between them reorderings where one wants another layout."""

from dataclasses import dataclass, replace

from xymac.hdl.isa import CELL_BITS, Memory
from xymac.host.ir.refuse import NoPassesError
from xymac.host.lower.base import Lowering
from xymac.host.lower.move.bus.bus_bytes import JoinBytesLowering, SplitBytesLowering
from xymac.host.lower.move.bus.pairs import JoinLowering, SplitLowering
from xymac.host.lower.move.reorder import ReorderLowering
from xymac.host.lower.move.strips.restrip import RestripLowering
from xymac.host.lower.move.strips.unstrip import UnstripLowering
from xymac.host.memory.bus_bytes import ByteLayout
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.pairs import PairLayout
from xymac.host.memory.strips import StripLayout

from .turns import choose_turns
from .written import find_strips, prefers_strips, written_layouts

__all__ = ["Stage", "Stages"]


#: What a plan puts behind an input, by the class of its layout.
_SPLITS = {PairLayout: SplitLowering, ByteLayout: SplitBytesLowering}


@dataclass(frozen=True)
class Stage:
    """A layer or a reordering.

    Parameters
    ----------
    layer : int, index of the layer, or of the one that the reordering is for
    lowering : Lowering
    sources : tuple of int, numbers of its inputs: first the inputs of the plan, then the output of
        every stage
    is_layer : bool, it is no reordering
    """

    layer:    int
    lowering: Lowering
    sources:  tuple
    is_layer: bool = False


class Stages:
    """The stages of a plan, and how their outputs lie.

    Readers say how they would like a value to lie. One that cannot take its inputs as they lie gets
    them reordered.

    Parameters
    ----------
    nodes : list of Node
    analysis : Analysis of them, whose nodes they are but for states
    inputs : Tensors in the format of the inputs
    ways : int, elements of a group
    states : States, further inputs, which lie as their layer wants
    c_order : bool, inputs and the last output lie in the order of the user's arrays, in one run;
        of elements of 32 bits their halves do, see ``PairLayout``, and those of 8 bits lie as a
        bus shows them, see ``ByteLayout``
    core : Capabilities of the core
    written : int or None, which of the ``written_layouts`` of its only reader an input lies in, if
        there are so many
    joins : bool, strips get rows of others where a layer wants these, or else become pixels

    Attributes
    ----------
    stages : list of Stage
    layouts : list of TensorLayout, not placed: of inputs and states, then of the output of every
        stage
    numbers : list of int, of the inputs and of the output of every layer among ``layouts``; None of
        one that is folded
    folded : frozenset of the indices of layers that others do
    last : int, index of the last layer that is not folded
    states : range, of the states among ``layouts``
    nodes : list of Node
    final : int, number of the last output as the plan leaves it
    are_written : bool, an input lies as only the host can write it
    moves_strips : bool, elements move from strips to pixels or other strips, or are read so
    joins_strips : bool, they do to other strips

    ValueError naming the layer that cannot take its inputs in any order.
    """

    def __init__(self, nodes, analysis, inputs, ways, *, states, c_order=False, core=None,
                 written=None, joins=False):
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
        self.stages, self.numbers = [], list(range(len(self._inputs)))
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
        """TensorLayout of an input, for which its readers prefer ``layout``."""
        if c_order and x.bits != CELL_BITS:
            kind = PairLayout if x.bits > CELL_BITS else ByteLayout
            return kind.of_elements(x, self._ways)
        return TensorLayout.flat(x, self._ways) if c_order or layout is None else layout

    def _write_inputs(self, count, rank):
        """Lay the first ``count`` inputs as the host can write them for their readers."""
        for number in range(count):
            layouts = written_layouts(self.nodes, self._lowerings, len(self._inputs), number,
                                      self._inputs[number].shape)
            if rank < len(layouts):
                self.layouts[number] = layouts[rank]
                self.are_written = True

    def _split(self, index, number, kind):
        """Have input ``number`` of 8 or 32 bits as the passes of layer ``index`` take it, by a
        Lowering of a ``kind``."""
        lowering = kind.for_core(self._core, self._inputs[number], self._ways)
        lowering.source_layouts(self._preferred[number])
        self._add(Stage(index, lowering, (number,)),
                  lowering.target_layout((self.layouts[number],)))
        self.numbers[number] = len(self.layouts) - 1

    def _restrip(self, index, node, number):
        """Whether a value that lies in strips is had in those that layer ``index`` takes."""
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
        """Have a value that lies in strips pixel by pixel, for layer ``index`` and those behind."""
        own      = self.numbers[number]
        lowering = UnstripLowering(self._lowerings[number - len(self._inputs)].output, self._ways)
        self._add(Stage(index, lowering, (own,)), lowering.target_layout((self.layouts[own],)))
        self.numbers[number] = len(self.layouts) - 1

    def _join(self, output):
        """Number of the last output, elements of 8 or 32 bits, in the order of the user's array."""
        index  = self.last
        flat   = TensorLayout.flat(output, self._ways)
        bits   = self.layouts[self.final].bits  # 16 where all elements are indices
        number = self._reorder(index, self.final, output, replace(flat, bits=bits))
        kind     = JoinLowering if output.bits > CELL_BITS else JoinBytesLowering
        lowering = kind.for_core(self._core, output, self._ways)
        self._add(Stage(index, lowering, (number,)),
                  lowering.target_layout((self.layouts[number],)))
        return len(self.layouts) - 1

    def _add_layer(self, index, node):
        """Add the stage of a layer, behind those that reorder what it cannot take as it lies."""
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
        try:
            target = lowering.target_layout(self._layouts_of(numbers))
        except NoPassesError:
            raise
        except ValueError as error:
            layouts = self._choose(index, numbers)
            if layouts is None:
                raise ValueError(f"{node.label or f'Layer {node.name}'}: {error}") from error
            numbers = [self._reorder(index, number, x, layout)
                       for number, x, layout in zip(numbers, lowering.inputs, layouts, strict=True)]
            target = lowering.target_layout(self._layouts_of(numbers))
        self._add(Stage(index, lowering, tuple(numbers), is_layer=True), target)
        self.numbers.append(len(self.layouts) - 1)

    def _choose(self, index, numbers):
        """Layouts of the inputs that the layer can take, of which fewest elements move; or None."""
        lowering = self._lowerings[index]
        sources  = self._layouts_of(numbers)
        blank    = lowering.output
        hints    = [self._preferred[len(self._inputs) + index], None,
                    *(source.like(blank) for source in sources
                      if len(source.shape) == len(blank.shape))]
        choices, seen = [], []
        for hint in hints:
            layouts = lowering.source_layouts(hint)
            if layouts in seen:
                continue
            seen.append(layouts)
            try:
                lowering.target_layout(layouts)
                for x, source, layout in zip(lowering.inputs, sources, layouts, strict=True):
                    if not _is_same(source, layout):
                        ReorderLowering(x, self._ways, layout).target_layout((source,))
            except NoPassesError:
                raise
            except ValueError:
                continue
            choices.append(layouts)
        return min(choices, default=None, key=lambda layouts: sum(
            layout.groups for source, layout in zip(sources, layouts, strict=True)
            if not _is_same(source, layout)))

    def _reorder(self, index, number, x, layout, *, always=False):
        """Number of a value like ``x`` as it lies at ``layout``: another one if it does not yet."""
        if _is_same(self.layouts[number], layout) and not always:
            return number
        lowering = ReorderLowering.for_core(self._core, x, self._ways, layout)
        self._add(Stage(index, lowering, (number,)), lowering.target_layout(
            (self.layouts[number],)))
        return len(self.layouts) - 1

    def _add(self, stage, target):
        self.stages.append(stage)
        self.layouts.append(target)

    def _layouts_of(self, numbers):
        return tuple(self.layouts[number] for number in numbers)

    def _prefer(self, last):
        """TensorLayout that the readers of every value prefer, None where nobody reads it.

        If they differ, the one with the shortest runs decides: a flat layout is for readers that
        take any. ``last`` is what is asked of the last output.
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
    """Whether elements of the same tensor lie in the same order with the same padding."""
    return (layout.arrangement, layout.memory) == (other.arrangement, other.memory)


def _decide(layouts):
    if len(layouts) < 2:
        return layouts[0] if layouts else None
    return min(layouts, key=lambda layout: layout.inner).at(0, Memory.X)
