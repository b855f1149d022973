# SPDX-License-Identifier: Apache-2.0
"""4-bit elements in a file: two per byte, the first in the low half."""

import numpy as np

__all__ = ["pack_halves", "unpack_halves"]


def unpack_halves(data, shape):
    """Read-only int8 array of ``shape`` from packed bytes, a uint8 array."""
    count  = int(np.prod(shape))
    halves = np.stack([data << 4, data & 0xF0], axis=-1).reshape(-1)[:count].view(np.int8) >> 4
    halves.flags.writeable = False
    return halves.reshape(shape)


def pack_halves(data):
    """Packed bytes, a uint8 array, for an int8 array with elements from -8 to 7."""
    flat   = np.asarray(data, np.int8).reshape(-1).view(np.uint8) & 0x0F
    halves = np.pad(flat, (0, flat.size % 2)).reshape(-1, 2)
    return halves[:, 0] | halves[:, 1] << 4
