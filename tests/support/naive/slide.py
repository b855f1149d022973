# SPDX-License-Identifier: Apache-2.0
"""The columns that a slide reads, word for word after the text of xymac.hdl.isa."""

from xymac.hdl.isa import Op

__all__ = ["columns_of", "is_blank", "taps_of_slide"]


def is_blank(pass_, c):
    """Whether the new column of output ``c`` of a row lies beyond the image."""
    loop = pass_.loop
    last = c * loop.cols.step + loop.taps[1] - 1
    return pass_.accumulate.op is Op.SLIDE and last >= loop.cols.size


def taps_of_slide(pass_, index):
    """Taps that an output reads, column by column."""
    loop = pass_.loop
    top = index[1] * loop.rows.step - loop.rows.pad
    return [(i, j, 0) for j in range(loop.taps[1]) if index[2] == 0 or j == loop.taps[1] - 1
            for i in range(loop.taps[0]) if 0 <= top + i < loop.rows.size]


def columns_of(pass_, index, tap, ways):
    """For every way the (index, tap) whose element meets a step of the last column; None for 0."""
    read = [(0, j) for j in range(pass_.loop.taps[1])]
    read += [(c, pass_.loop.taps[1] - 1) for c in range(1, index[2] + 1)]
    for way in range(ways):
        if way >= len(read) or is_blank(pass_, read[-1 - way][0]):
            yield way, None
            continue
        c, j = read[-1 - way]
        yield way, ((*index[:2], c), (tap[0], j, 0))
