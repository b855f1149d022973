# SPDX-License-Identifier: Apache-2.0
"""Passes on a heap in every lane: elements with positions, smallest element at the root.

Only flags depend on the data: 1 if an element is larger than another, else 0. Sums over products
with flags select either element. Each parent node has an extra entry for the element that sinks
through it. At a child that the sinking element does not reach, the child's own element moves down
and stays. All nodes of a level therefore need the same passes. The lowest level is full:
``HIGHEST``, which never moves up, fills its free nodes.
"""

from dataclasses import dataclass, replace

from xymac.hdl.isa import BANKS, Access, Memory, Width
from xymac.host.ir.fields import container_clip
from xymac.host.lower.sweep import Loop, elementwise, sweep
from xymac.host.memory.layout import TensorLayout

__all__ = ["FLAG_BIASES", "FLAG_WORDS", "HIGHEST", "HeapLayout"]

FLAG_WORDS  = (-1, 1, -1, 1)  #: Factors of two elements, a pair per flag word.
FLAG_BIASES = (1, 0, 1)       #: Biases of flag words: not larger, larger, not larger.
HIGHEST     = (1 << 15) - 1   #: Replacement for a removed element.
_SETS = 2  #: Flag sets: both children of a node; an element and the smaller child.
_FREE = 2  #: Entries beside the heap that are free to use.
_KEPT = 3  #: Sets of a level: smaller children, larger children, elements left to move.


@dataclass(frozen=True)
class HeapLayout:
    """Memory layout of a heap: 16-bit entries, all elements before all positions.

    Parameters
    ----------
    size : int, elements in every lane
    groups : int, vectors per entry
    layout : TensorLayout, the placed entries; see ``room``
    flags : int, address of the first flag word in Y
    words, bias_row : Access to the 16-bit ``FLAG_WORDS``, and row of ``FLAG_BIASES``
    """

    size:     int
    groups:   int
    layout:   TensorLayout
    flags:    int
    words:    Access
    bias_row: int

    @classmethod
    def room(cls, size, groups, ways):
        """Unplaced TensorLayout for the entries, and the flag word count."""
        heap  = cls(size, groups, None, 0, None, 0)
        count = 2 * ways * heap._kept(_KEPT)
        return TensorLayout((count,), 16, ways, (0,), 1, (count,)), _SETS * heap._set_words

    @property
    def levels(self):
        """Level count."""
        return self.size.bit_length()

    @property
    def nodes(self):
        """Node count over all levels."""
        return (1 << self.levels) - 1

    @property
    def parents(self):
        """Number of nodes with children; they precede all others."""
        return self.nodes // 2

    @property
    def plane(self):
        """Groups from elements to places."""
        return self.layout.groups // 2

    def node(self, index):
        """First vector of a node's entry, counted from the layout start."""
        return (self.parents + index) * self.groups

    def into(self, index):
        """First vector of the entry through which an element sinks to node ``index``."""
        return index * self.groups if index < self.parents else self.node(index)

    def free(self, index):
        """First vector of free entry ``index`` beside the heap."""
        return self.node(self.nodes + index)

    def access(self, entry):
        """Access to X from an entry on."""
        return self.layout.access(offset=entry)

    def move(self, entry, target, one):
        """Passes copying an entry; ``one`` is the Access to a 16-bit all-ones word."""
        copy = self._pass(x=self.access(entry), y=one, z=self.access(target))
        return sweep(copy, self.groups, (BANKS, 0, BANKS), [Loop(2, self.plane, 0, self.plane)])

    def insert(self, entry):
        """Passes replacing the root by an entry, unless it is smaller, and sinking it."""
        return [*self._compare(self.node(0), entry, 0),
                *self._take((self.node(0), entry), 0, (self.into(0),), first=1), *self.sift(0)]

    def sift(self, level):
        """Passes sinking the elements on their way into the level nodes."""
        passes = []
        for depth in range(level, self.levels - 1):
            passes += self._sift_level(1 << depth)
        return passes

    def _sift_level(self, count):
        """Passes sinking the elements on their way into a level with ``count`` nodes."""
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
        """First vector of intermediate set ``index`` for the nodes in a level."""
        return self.free(_FREE) + index * self._widest * self.groups

    @property
    def _widest(self):
        """Largest number of nodes with children in a level."""
        return self.nodes // 4 + 1

    @property
    def _tiles(self):
        """Outputs per entry, equal to the words of its flags."""
        return -(-self.groups // BANKS)

    @property
    def _flag_words(self):
        """Words that a level needs for each ``FLAG_BIASES`` bias."""
        return self._widest * self._tiles

    @property
    def _set_words(self):
        return len(FLAG_BIASES) * self._flag_words

    def _compare(self, first, second, which, count=1, apart=1):
        """Passes writing the flags of ``count`` entries: whether ``first`` is larger."""
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
        """Passes writing the first entry of ``pair``, or the other where flagged, then the
        remaining entry.

        They do so for ``count`` entries; ``apart`` is the entry distance in reads and in writes.
        """
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
    """Strides between entries and between the outputs in an entry."""
    return 0, step if count > 1 else 0, BANKS
