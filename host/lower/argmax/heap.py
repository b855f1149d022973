# SPDX-License-Identifier: Apache-2.0
"""Passes on a heap of elements and their places in every lane, its smallest element at the root.

Nothing depends on the data but flags: 1 where one element is larger than another, else 0. Sums of
products with them take one element or the other. What moves down the heap is an entry of its own
for every node with children; at a child that it does not reach, the child's element moves down and
stays where it is. So all nodes of a level take the same passes. The lowest level is whole: where
it has no element there is ``HIGHEST``, which never moves up.
"""

from dataclasses import dataclass, replace

from xymac.hdl.isa import BANKS, Access, Memory, Width
from xymac.host.ir.fields import container_clip
from xymac.host.lower.sweep import Loop, elementwise, sweep
from xymac.host.memory.layout import TensorLayout

__all__ = ["FLAG_BIASES", "FLAG_WORDS", "HIGHEST", "Heap"]

FLAG_WORDS  = (-1, 1, -1, 1)  #: What two elements are multiplied by: two for each word of flags.
FLAG_BIASES = (1, 0, 1)       #: Of the words of flags: not larger, larger, not larger.
HIGHEST     = (1 << 15) - 1   #: What takes the place of an element that is gone.
_SETS = 2  #: Of flags: of the children of a node, and of an element and the smaller child.
_FREE = 2  #: Entries beside the heap that are free to use.
_KEPT = 3  #: Of a level: the smaller children, the larger ones, and what is left to move.


@dataclass(frozen=True)
class Heap:
    """Where a heap lies: entries of 16 bits, all elements in front of all places.

    Parameters
    ----------
    size : int, elements in every lane
    groups : int, of an entry
    layout : TensorLayout of the entries, placed; see ``room``
    flags : int, address of the first word of flags in Y
    words, bias_row : Access to ``FLAG_WORDS`` of 16 bits, and row of ``FLAG_BIASES``
    """

    size:     int
    groups:   int
    layout:   TensorLayout
    flags:    int
    words:    Access
    bias_row: int

    @classmethod
    def room(cls, size, groups, ways):
        """TensorLayout of the entries, not placed, and how many words of flags there are."""
        heap  = cls(size, groups, None, 0, None, 0)
        count = 2 * ways * heap._kept(_KEPT)
        return TensorLayout((count,), 16, ways, (0,), 1, (count,)), _SETS * heap._set_words

    @property
    def levels(self):
        """Levels of the heap."""
        return self.size.bit_length()

    @property
    def nodes(self):
        """Nodes of all levels."""
        return (1 << self.levels) - 1

    @property
    def parents(self):
        """Nodes that have children, those before all others."""
        return self.nodes // 2

    @property
    def plane(self):
        """Groups from elements to places."""
        return self.layout.groups // 2

    def node(self, index):
        """First group of the entry of a node, from that of the layout."""
        return (self.parents + index) * self.groups

    def into(self, index):
        """First group of the entry that an element moves down to node ``index`` in."""
        return index * self.groups if index < self.parents else self.node(index)

    def free(self, index):
        """First group of one of the entries beside the heap that are free to use."""
        return self.node(self.nodes + index)

    def access(self, entry):
        """Access to X from an entry on."""
        return self.layout.access(offset=entry)

    def move(self, entry, target, one):
        """Passes that copy an entry; ``one`` is an Access to a word of ones, 16 bits."""
        copy = self._pass(x=self.access(entry), y=one, z=self.access(target))
        return sweep(copy, self.groups, (BANKS, 0, BANKS), [Loop(2, self.plane, 0, self.plane)])

    def insert(self, entry):
        """Passes that an entry takes the root's place in unless it is smaller, and moves down."""
        return [*self._compare(self.node(0), entry, 0),
                *self._take((self.node(0), entry), 0, (self.into(0),), first=1), *self.sift(0)]

    def sift(self, level):
        """Passes that move down what is on its way into the nodes of a level."""
        passes = []
        for depth in range(level, self.levels - 1):
            passes += self._sift_level(1 << depth)
        return passes

    def _sift_level(self, count):
        """Passes that move down what is on its way into a level of ``count`` nodes."""
        first, below = count - 1, 2 * count - 1
        down, top    = self.into(first), self.node(first)
        left, right  = self.node(below), self.node(below + 1)
        smaller, larger, rest = (self._kept(index) for index in range(_KEPT))
        return [*self._compare(left, right, 0, count, 2),
                *self._take((left, right), 0, (smaller, larger), count, (2, 1)),
                *self._compare(down, smaller, 1, count),
                *self._take((down, smaller), 1, (top, rest), count),
                *self._take((rest, larger), 0, (self.into(below), self.into(below + 1)), count,
                            (1, 2))]

    def _kept(self, index):
        """First group of what is kept of the nodes of a level."""
        return self.free(_FREE) + index * self._widest * self.groups

    @property
    def _widest(self):
        """Nodes of the lowest level but one."""
        return self.nodes // 4 + 1

    @property
    def _tiles(self):
        """Outputs of an entry, and words of its flags."""
        return -(-self.groups // BANKS)

    @property
    def _flag_words(self):
        """Words of one of ``FLAG_BIASES`` of a level."""
        return self._widest * self._tiles

    @property
    def _set_words(self):
        return len(FLAG_BIASES) * self._flag_words

    def _compare(self, first, second, which, count=1, apart=1):
        """Passes that write flags of ``count`` entries: whether ``first`` is larger."""
        low  = (self.flags + which * self._set_words) * BANKS
        full, rest = divmod(self.groups, BANKS)
        step = apart * self.groups
        x = replace(self.access(first), outer=_strides(count, step), taps=(0, 0, second - first))
        z = Access(low, low, low + self._set_words * BANKS - 1,
                   (self._flag_words * BANKS, self._tiles * BANKS * (count > 1), BANKS))
        y = replace(self.words, outer=(1, 0, 0), taps=(0, 0, 1))
        whole  = self._pass(x=x, y=y, z=z, z_memory=Memory.Y, clip=(0, 1), bias_row=self.bias_row,
                            outer=(len(FLAG_BIASES), count, full), taps=(1, 1, 2))
        passes = [whole] if full else []
        if rest:
            passes.append(replace(
                whole, x=replace(x, base=x.base + full * BANKS),
                z=replace(z, base=z.base + full * BANKS), beats=rest,
                outer=(len(FLAG_BIASES), count, 1)))
        return passes

    def _take(self, pair, which, targets, count=1, apart=(1, 1), first=0):
        """Passes that write the first of ``pair``, or where it is flagged the other, and then the
        rest; of ``count`` entries that are ``apart``, read and written."""
        one, other = pair
        low = self.flags + which * self._set_words
        y   = Access(low + first * self._flag_words, low, low + self._set_words - 1,
                     taps=(0, 0, self._flag_words))
        x   = replace(self.access(one), taps=(0, 0, other - one))
        loops = [Loop(2, self.plane, 0, self.plane),
                 Loop(len(targets), 0, self._flag_words, targets[-1] - targets[0]),
                 Loop(count, apart[0] * self.groups, self._tiles, apart[1] * self.groups)]
        return sweep(self._pass(x=x, y=y, z=self.access(targets[0]), taps=(1, 1, 2)), self.groups,
                     (BANKS, 1, BANKS), loops)

    def _pass(self, **fields):
        return elementwise(16, 16, **{"y_width": Width.BITS16, "clip": container_clip(16)} | fields)


def _strides(count, step):
    """Strides of entries and of the outputs of an entry."""
    return 0, step if count > 1 else 0, BANKS
