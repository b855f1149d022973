"""Where the inputs and outputs of layers lie: in which order, in which rows, as parts of which."""

from collections import Counter

from hdl.isa import Memory
from host.lower.refuse import NoPassesError
from host.lower.registry import source_images, target_image, views
from host.memory.layout import Image

__all__ = ["Layout"]


class Layout:
    """Images of all values: inputs first, then the output of every layer.

    Readers say how they would like a value to lie. One that is made only to be joined with others
    is made as a part of the joined one, if it can be.

    Parameters
    ----------
    nodes : list of Node
    values : list of Tensors in the format of all values
    count : int, of inputs
    ways : int, elements of a group

    ValueError naming the layer that cannot take its inputs where they lie.
    """

    def __init__(self, nodes, values, count, ways):
        self._nodes, self._values, self._count, self._ways = nodes, values, count, ways
        self._images = [image or Image.flat(value, ways)
                        for image, value in zip(self._wishes()[:count], values, strict=False)]
        for index, node in enumerate(nodes):
            self._images.append(self._target_of(index, node))

    def placed(self, memories, keep):
        """The Images, in rows of ``memories``, a dict of Rows; of ``keep`` see ``Plan``.

        Outputs alternate between both ends of X. AllocationError for what does not fit.
        """
        images = self._images[:]
        for number, image in enumerate(images[:self._count]):
            name = "Input" if self._count == 1 else f"Input {number}"
            images[number] = image.at(memories[image.memory].take(image.rows, name))
        last_use = [0] * self._count + list(range(len(self._nodes)))
        for index, node in enumerate(self._nodes):
            for number in node.sources:
                last_use[number] = index
        homes, placed = self._homes(), set(range(self._count))
        for index in range(len(self._nodes)):
            self._place_output(index, images, homes, placed, memories[Memory.X])
            if not keep:
                for number in sorted(placed):
                    image = images[number]
                    if last_use[number] == index and image.memory is Memory.X:
                        memories[Memory.X].release(image.row - image.before)  # Y: constants stay
        return images

    def _place_output(self, index, images, homes, placed, memory):
        """Place the output of a layer, or what it is a part of; ``placed`` gets who takes rows."""
        number = self._count + index
        owner, view = homes.get(number, (number, None))
        if owner not in placed:
            image = images[owner]
            rows  = image.before + image.rows + image.behind
            row   = memory.take(rows, f"Output of layer {owner - self._count}", top=index % 2 == 0)
            images[owner] = image.at(row + image.before)
            placed.add(owner)
        if view is not None:
            images[number] = view.at(images[owner].row)

    def _homes(self):
        """Values that are made as parts of others: by number, that of the other and the Image.

        Nothing else reads them.
        """
        readers = Counter(number for node in self._nodes for number in node.sources)
        made_by = [None] * self._count + [(node.layer, self._inputs_of(node))
                                          for node in self._nodes]
        return {number: (owner, view)
                for owner, node in enumerate(self._nodes, self._count)
                for number, view in zip(node.sources, views(
                    node.layer, self._inputs_of(node), [made_by[each] for each in node.sources],
                    self._sources_of(node), self._images[owner]), strict=True)
                if view is not None and readers[number] == 1}

    def _target_of(self, index, node):
        try:
            return target_image(node.layer, self._inputs_of(node), self._sources_of(node))
        except NoPassesError:
            raise
        except ValueError as error:
            raise ValueError(f"Layer {index}: {error}") from error

    def _inputs_of(self, node):
        return [self._values[number] for number in node.sources]

    def _sources_of(self, node):
        return tuple(self._images[number] for number in node.sources)

    def _wishes(self):
        """Image that the readers of every value would like it to be, None where nobody reads it.

        If they differ, the one with the shortest runs decides: a flat image is for readers that
        take any.
        """
        wishes = [[] for _ in self._values]
        for index, node in reversed(list(enumerate(self._nodes))):
            own    = _decided(wishes[self._count + index])
            images = source_images(node.layer, self._inputs_of(node), own, self._ways)
            for image, number in zip(images, node.sources, strict=True):
                wishes[number].insert(0, image)
        return [_decided(images) for images in wishes]


def _decided(images):
    if len(images) < 2:
        return images[0] if images else None
    return min(images, key=lambda image: image.inner).at(0, Memory.X)
