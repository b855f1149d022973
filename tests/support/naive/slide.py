"""The columns that a slide reads, word for word after the text of hdl.isa."""

from hdl.isa import Op

__all__ = ["columns_of", "is_blank", "taps_of_slide"]


def is_blank(pass_, c):
    """Whether the new column of output ``c`` of a row lies beyond the image."""
    return pass_.op is Op.SLIDE and c * pass_.cols.step + pass_.taps[1] - 1 >= pass_.cols.size


def taps_of_slide(pass_, index):
    """Taps that an output reads, column by column."""
    top = index[1] * pass_.rows.step - pass_.rows.pad
    return [(i, j, 0) for j in range(pass_.taps[1]) if index[2] == 0 or j == pass_.taps[1] - 1
            for i in range(pass_.taps[0]) if 0 <= top + i < pass_.rows.size]


def columns_of(pass_, index, tap, ways):
    """For every way the (index, tap) whose element meets a step of the last column; None for 0."""
    read = [(0, j) for j in range(pass_.taps[1])]
    read += [(c, pass_.taps[1] - 1) for c in range(1, index[2] + 1)]
    for way in range(ways):
        if way >= len(read) or is_blank(pass_, read[-1 - way][0]):
            yield way, None
            continue
        c, j = read[-1 - way]
        yield way, ((*index[:2], c), (tap[0], j, 0))
