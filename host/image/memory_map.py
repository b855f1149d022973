# SPDX-License-Identifier: Apache-2.0
"""Image content under construction: constants and value places."""

import numpy as np

from .places import FILL_BYTES

__all__ = ["ALIGNMENT", "MemoryMap"]

ALIGNMENT = 64  #: Bytes; see ``Register.BASE``.


class MemoryMap:
    """Consecutive byte blocks, each at a multiple of ``ALIGNMENT``."""

    def __init__(self):
        self._blocks, self._size = [], 0
        self._constants = {}

    @property
    def size(self):
        """Bytes so far."""
        return self._size

    def add(self, content):
        """Append a uint8 array; returns its offset."""
        offset = self._size
        self._blocks.append(content)
        self._size += -(-content.size // ALIGNMENT) * ALIGNMENT
        return offset

    def add_constant(self, content):
        """Constant bytes' offset; equal constants share an offset."""
        if content not in self._constants:
            self._constants[content] = self.add(np.frombuffer(content, np.uint8))
        return self._constants[content]

    def fill_at(self, value, item):
        """Offset for a ``FILL_BYTES``-byte row: ``item``-byte elements with ``value``."""
        row = np.full(FILL_BYTES // item, value, f"<i{item}")
        return self.add_constant(row.tobytes())

    def content(self):
        """All bytes, a uint8 array."""
        content, offset = np.zeros(self._size, np.uint8), 0
        for block in self._blocks:
            content[offset:offset + block.size] = block
            offset += -(-block.size // ALIGNMENT) * ALIGNMENT
        return content
