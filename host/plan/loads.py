"""Constants in Y: all at once where they fit, else those of some layers after those of others."""

from dataclasses import dataclass, replace

from hdl.isa import Memory

from .rows import AllocationError

__all__ = ["Load", "place_constants"]


@dataclass(frozen=True)
class Load:
    """Constants that lie in Y together.

    Parameters
    ----------
    stages : range, those that they are for
    constants : tuple of Constants, placed, one a stage
    segments : tuple of Program, the passes of these stages, set by the plan
    """

    stages:    range
    constants: tuple
    segments:  tuple = ()

    def write(self, device):
        """Write the constants to a Device."""
        placed = {values.y_row: values for values in self.constants if values.y_rows}
        for values in placed.values():
            device.write_cells(Memory.Y, values.y_row * values.row_cells, values.cells)


def place_constants(values, layers, memory):
    """Loads, as few as there can be, in order.

    Parameters
    ----------
    values : list of Constants, one a stage
    layers : list of str, the name of every stage's layer
    memory : Rows of Y, what stays there taken already

    AllocationError where those of a single stage do not fit.
    """
    loads, start = [], 0
    while start < len(values):
        placed, end = _place(values, layers, memory, range(start, start + 1)), start + 1
        while end < len(values):
            try:
                placed = _place(values, layers, memory, range(start, end + 1))
            except AllocationError:
                break
            end += 1
        loads.append(Load(range(start, end), placed))
        start = end
    return loads


def _place(values, layers, memory, stages):
    """Constants of ``stages`` in rows that nobody has yet; those with room come first, where the
    output can reach it."""
    rows, shared, placed = memory.copy(), {}, {}
    for stage in sorted(stages, key=lambda stage: not values[stage].room):
        each = values[stage]
        key  = each.cells.tobytes() if each.shared else stage
        if key not in shared:
            shared[key] = rows.take(each.y_rows, f"Layer {layers[stage]}", align=each.align)
        placed[stage] = replace(each, y_row=shared[key])
    return tuple(placed[stage] for stage in stages)
