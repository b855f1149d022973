"""Passes on a heap of elements and their places in every lane, its smallest element at the root.

Nothing depends on the data but flags: 1 where one element is larger than another, else 0. Sums of
products with them take one element or the other. What moves down the heap is an entry of its own
for every node with children; at a child that it does not reach, the child's element moves down and
stays where it is.
"""

from dataclasses import dataclass, replace

from hdl.isa import BANKS, Access, Memory, Width
from host.lower.sweep import container_clip, elementwise
from host.memory.layout import TensorLayout

__all__ = ["FLAG_BIASES", "FLAG_WORDS", "HIGHEST", "Heap"]

FLAG_WORDS  = (-1, 1, -1, 1)  #: What two elements are multiplied by: two for each word of flags.
FLAG_BIASES = (1, 0, 1)       #: Of the words of flags: not larger, larger, not larger.
HIGHEST     = (1 << 15) - 1   #: What takes the place of an element that is gone.
_SETS  = 2  #: Of flags: of the children of a node, and of an element and the smaller child.
_EXTRA = 5  #: Entries beside those of the heap.


@dataclass(frozen=True)
class Heap:
    """Where a heap lies: entries of 16 bits, all elements in front of all places.

    Parameters
    ----------
    size : int, elements in every lane
    tiles : int, whole outputs of lanes
    layout : TensorLayout of the entries, placed; see ``room``
    flags : int, address of the first word of flags in Y
    words, bias_row : Access to ``FLAG_WORDS`` of 16 bits, and row of ``FLAG_BIASES``
    """

    size:     int
    tiles:    int
    layout:   TensorLayout
    flags:    int
    words:    Access
    bias_row: int

    @staticmethod
    def room(size, tiles, ways):
        """TensorLayout of the entries, not placed, and how many words of flags there are."""
        count = 2 * (size // 2 + size + _EXTRA) * tiles * BANKS * ways
        return TensorLayout((count,), 16, ways, (0,), 1, (count,)), _SETS * len(FLAG_BIASES) * tiles

    @property
    def parents(self):
        """Nodes that have children, those before all others."""
        return self.size // 2

    @property
    def step(self):
        """Groups from entry to entry."""
        return self.tiles * BANKS

    @property
    def plane(self):
        """Groups from elements to places."""
        return self.layout.groups // 2

    def node(self, index):
        """First group of the entry of a node, from that of the layout."""
        return (self.parents + index) * self.step

    def into(self, index):
        """First group of the entry that an element moves down to node ``index`` in."""
        return index * self.step if index < self.parents else self.node(index)

    def extra(self, index):
        """First group of one of the entries beside the heap; the first two are free to use."""
        return self.node(self.size + index)

    def access(self, entry, outer=(0, 0, 0), step=0):
        """Access to X, tile by tile in the innermost loop; ``step`` is that of the taps."""
        return self.layout.access((*outer[:2], BANKS), (0, 0, step), offset=entry)

    def move(self, entry, target, one):
        """Pass that copies an entry; ``one`` is an Access to a word of ones, 16 bits."""
        outer = self.plane, 0, 0
        return self._pass(x=self.access(entry, outer), y=one, z=self.access(target, outer),
                          outer=(2, 1, self.tiles))

    def insert(self, entry):
        """Passes that an entry takes the root's place in unless it is smaller, and moves down."""
        return [self._compare(self.node(0), entry, 0),
                self._take(self.node(0), entry, 0, (self.into(0),), first=1), *self.sift(0)]

    def sift(self, root):
        """Passes that move down what is on its way into node ``root``."""
        left, right = 2 * root + 1, 2 * root + 2
        if left >= self.size:
            return []
        down, top = self.into(root), self.node(root)
        if right >= self.size:
            child = self.node(left)
            return [self._compare(down, child, 1), self._take(down, child, 1, (top, child))]
        children = self.node(left), self.node(right)
        smaller, larger, rest = (self.extra(index) for index in range(2, _EXTRA))
        return [self._compare(*children, 0), self._take(*children, 0, (smaller, larger)),
                self._compare(down, smaller, 1), self._take(down, smaller, 1, (top, rest)),
                self._take(rest, larger, 0, (self.into(left), self.into(right))),
                *self.sift(left), *self.sift(right)]

    def _compare(self, first, second, which):
        """Pass that writes flags: whether ``first`` is larger."""
        count = len(FLAG_BIASES)
        group = (self.flags + which * count * self.tiles) * BANKS
        z     = Access(group, group, group + count * self.step - 1, (self.step, 0, BANKS))
        return self._pass(
            x=self.access(first, step=second - first), y=replace(self.words, outer=(1, 0, 0),
                                                                 taps=(0, 0, 1)),
            z=z, z_memory=Memory.Y, clip=(0, 1), bias_row=self.bias_row,
            outer=(count, 1, self.tiles), taps=(1, 1, 2))

    def _take(self, one, other, which, targets, first=0):
        """Pass that writes ``one``, or where it is flagged ``other``, and then the rest."""
        low   = self.flags + which * len(FLAG_BIASES) * self.tiles
        apart = targets[-1] - targets[0]
        y     = Access(low + first * self.tiles, low, low + len(FLAG_BIASES) * self.tiles - 1,
                       (0, self.tiles, 1), (0, 0, self.tiles))
        return self._pass(
            x=self.access(one, (self.plane, 0, 0), other - one), y=y,
            z=self.access(targets[0], (self.plane, apart, 0)),
            outer=(2, len(targets), self.tiles), taps=(1, 1, 2))

    def _pass(self, **fields):
        return elementwise(16, 16, **{"y_width": Width.BITS16, "clip": container_clip(16)} | fields)
