"""Where the inputs and outputs of layers lie: in which order, in which rows, as parts of which."""

from collections import Counter

from hdl.isa import Memory
from host.lower.refuse import NoPassesError
from host.memory.layout import TensorLayout

__all__ = ["Placement"]


class Placement:
    """TensorLayouts of all values: inputs first, then the output of every layer.

    Readers say how they would like a value to lie. One that is made only to be joined with others
    is made as a part of the joined one, if it can be.

    Parameters
    ----------
    nodes : list of Node
    lowerings : list of Lowering, one a node
    inputs : Tensors in the format of the inputs
    ways : int, elements of a group

    ValueError naming the layer that cannot take its inputs where they lie.
    """

    def __init__(self, nodes, lowerings, inputs, ways):
        self._nodes, self._lowerings, self._count = nodes, lowerings, len(inputs)
        self._layouts = [layout or TensorLayout.flat(value, ways)
                         for layout, value in zip(self._prefer(), inputs, strict=False)]
        for index, node in enumerate(nodes):
            self._layouts.append(self._target_of(index, node))

    def place(self, memories, keep):
        """The TensorLayouts, in rows of ``memories``, a dict of Rows; of ``keep`` see ``Plan``.

        Outputs alternate between both ends of X. AllocationError for what does not fit.
        """
        layouts = self._layouts[:]
        for number, layout in enumerate(layouts[:self._count]):
            name = "Input" if self._count == 1 else f"Input {number}"
            layouts[number] = layout.at(memories[layout.memory].take(layout.rows, name))
        last_use = [0] * self._count + list(range(len(self._nodes)))
        for index, node in enumerate(self._nodes):
            for number in node.sources:
                last_use[number] = index
        homes, placed = self._homes(), set(range(self._count))
        for index in range(len(self._nodes)):
            self._place_output(index, layouts, homes, placed, memories[Memory.X])
            if not keep:
                for number in sorted(placed):
                    layout = layouts[number]
                    if last_use[number] == index and layout.memory is Memory.X:
                        memories[Memory.X].release(layout.row - layout.before)  # Y: constants stay
        return layouts

    def _place_output(self, index, layouts, homes, placed, memory):
        """Place the output of a layer, or what it is a part of; ``placed`` gets who takes rows."""
        number = self._count + index
        owner, view = homes.get(number, (number, None))
        if owner not in placed:
            layout = layouts[owner]
            rows  = layout.before + layout.rows + layout.behind
            row   = memory.take(rows, f"Output of layer {owner - self._count}", top=index % 2 == 0)
            layouts[owner] = layout.at(row + layout.before)
            placed.add(owner)
        if view is not None:
            layouts[number] = view.at(layouts[owner].row)

    def _homes(self):
        """Values that are made as parts of others: by number, that of the other and the layout.

        Nothing else reads them.
        """
        readers = Counter(number for node in self._nodes for number in node.sources)
        homes = {}
        for owner, (node, lowering) in enumerate(
                zip(self._nodes, self._lowerings, strict=True), self._count):
            parts = lowering.inputs_in_place(self._sources_of(node), self._layouts[owner])
            homes |= {number: (owner, part)
                      for number, part in zip(node.sources, parts, strict=True)
                      if part is not None and readers[number] == 1 and self._can_be_part(number)}
        return homes

    def _can_be_part(self, number):
        """Whether what makes a value can make it as a part of a larger tensor."""
        layout = self._layouts[number]
        return (number >= self._count and self._lowerings[number - self._count].writes_runs
                and not layout.before and not layout.behind)

    def _target_of(self, index, node):
        try:
            return self._lowerings[index].target_layout(self._sources_of(node))
        except NoPassesError:
            raise
        except ValueError as error:
            raise ValueError(f"Layer {index}: {error}") from error

    def _sources_of(self, node):
        return tuple(self._layouts[number] for number in node.sources)

    def _prefer(self):
        """TensorLayout that the readers of every value prefer, None where nobody reads it.

        If they differ, the one with the shortest runs decides: a flat layout is for readers that
        take any.
        """
        wanted = [[] for _ in range(self._count + len(self._nodes))]
        for index, node in reversed(list(enumerate(self._nodes))):
            own     = _decide(wanted[self._count + index])
            layouts = self._lowerings[index].source_layouts(own)
            for layout, number in zip(layouts, node.sources, strict=True):
                wanted[number].insert(0, layout)
        return [_decide(layouts) for layouts in wanted]


def _decide(layouts):
    if len(layouts) < 2:
        return layouts[0] if layouts else None
    return min(layouts, key=lambda layout: layout.inner).at(0, Memory.X)
