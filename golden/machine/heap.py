# SPDX-License-Identifier: Apache-2.0
"""The core's heap: a bounded binary heap of elements and their indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Heap"]

_PLACES = 1 << 16


class Heap:
    """Binary min-heap of (element, index) pairs, as ``xymac.hdl.isa`` describes it.

    Attributes
    ----------
    place : int, root index, or the last root index if the heap is empty, 0 .. 65535
    """

    def __init__(self) -> None:
        self.place  = 0
        self._size   = 1
        self._nodes  = []
        self._count  = 0
        self._popped = False

    def rank(self, size: int, fresh: bool, elements: Sequence[int]) -> None:
        """Insert ``elements`` in order; a fresh heap starts empty and holds ``size`` elements."""
        if fresh:
            self._size = size
        if fresh or (self._popped and elements):
            self._nodes, self._count, self._popped = [], 0, False
        for element in elements:
            self._take((element, self._count))
            self._count = (self._count + 1) % _PLACES
        self._keep_place()

    def pop(self, times: int) -> None:
        """Remove the root ``times`` times; the last element stays."""
        self._popped |= times > 0
        for _ in range(min(times, max(len(self._nodes) - 1, 0))):
            self._nodes[0] = self._nodes.pop()
            self._sift(0)
        self._keep_place()

    def _take(self, node):
        if len(self._nodes) < self._size:
            self._nodes.append(node)
            if len(self._nodes) == self._size:
                for root in range(self._size // 2 - 1, -1, -1):
                    self._sift(root)
        elif node[0] >= self._nodes[0][0]:
            self._nodes[0] = node
            self._sift(0)

    def _sift(self, index):
        """Swap a node with its smaller child until no child is smaller."""
        nodes = self._nodes
        while True:
            children = range(2 * index + 1, min(2 * index + 3, len(nodes)))
            child = min(children, key=lambda place: nodes[place][0], default=None)  # the first one
            if child is None or nodes[child][0] >= nodes[index][0]:
                return
            nodes[index], nodes[child] = nodes[child], nodes[index]
            index = child

    def _keep_place(self):
        if self._nodes:
            self.place = self._nodes[0][1]
