# SPDX-License-Identifier: Apache-2.0
"""Words of program memory that no ``Pass`` need have, and the cells that they may write."""

import numpy as np
from amaranth.lib import data

from xymac.hdl.isa import BANKS, PASS_STRIDE, Encoded, Memory, Region

from .rtl_device import sizes_of

__all__ = ["change_fields", "load_words", "written_cells"]


def change_fields(packed, values):
    """The encoded pass (int) with other values of the fields that ``values`` names, as in
    ``{"x.agu.order": 3}``."""
    for path, value in values.items():
        offset, width = _find(path)
        mask   = (1 << width) - 1
        packed = packed & ~(mask << offset) | (value & mask) << offset
    return packed


def load_words(device, passes, first=0):
    """Write encoded passes (ints) to the program memory of an RTL device, word by word."""
    words = [packed >> 32 * index & 0xFFFF_FFFF for packed in passes
             for index in range(2 * PASS_STRIDE)]
    device.harness.write(Region.PROGRAM.value + 8 * PASS_STRIDE * first + 4 * np.arange(len(words)),
                         np.array(words, np.uint64))


def written_cells(passes, config):
    """Cells that lie in the window of Z of any encoded pass: a mask for each memory."""
    ways, lanes = config.ways, config.lanes
    masks = {memory: np.zeros(size, bool) for memory, size in sizes_of(config).items()}
    for packed in passes:
        low, high, in_y, wide = (_value(packed, path)
                                 for path in ("z.low", "z.high", "z_memory", "z_width"))
        group = np.arange(low, low + high + 1)[:, None]
        lane  = group % BANKS * ways + np.arange(ways)
        index = group // BANKS
        way, step = (index % ways, ways) if in_y else (0, 1)
        cells = (index // step // (2 - wide) * step + way) * lanes + lane
        mask  = masks[Memory(in_y)]
        mask[cells[cells < mask.size]] = True
    return masks


def _value(packed, path):
    offset, width = _find(path)
    return packed >> offset & (1 << width) - 1


def _find(path):
    """Offset and width of a field."""
    layout, offset = Encoded, 0
    for name in path.split("."):
        field   = layout[name]
        layout  = field.shape
        offset += field.offset
    assert not isinstance(layout, data.Layout), path
    return offset, field.width
