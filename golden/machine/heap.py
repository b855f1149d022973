"""The heap of a core: elements that passes rank, and their places."""

__all__ = ["Heap"]

_PLACES = 1 << 16


class Heap:
    """Elements and places, the smallest element first, as ``hdl.isa`` describes them.

    Attributes
    ----------
    place : int, of the element at the root, or that there was before, 0 .. 65535
    """

    def __init__(self):
        self.place  = 0
        self._size   = 1
        self._nodes  = []
        self._count  = 0
        self._popped = False

    def rank(self, size, fresh, elements):
        """Take in all elements, a list of int, one after the other; a fresh heap has ``size``."""
        if fresh:
            self._size = size
        if fresh or (self._popped and elements):
            self._nodes, self._count, self._popped = [], 0, False
        for element in elements:
            self._take((element, self._count))
            self._count = (self._count + 1) % _PLACES
        self._keep_place()

    def pop(self, times):
        """Take off the root so often, but for the last one."""
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
        """Move a node down, in exchange for its smaller child, while that is smaller than it."""
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
