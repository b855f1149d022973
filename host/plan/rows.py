"""Rows of X and Y memory: who owns which."""

from copy import copy

from hdl.isa import CELL_BITS, Memory
from host.errors import InputError

__all__ = ["AllocationError", "Rows"]


class AllocationError(InputError):
    """A tensor does not fit its memory.

    Parameters
    ----------
    message : str
    memory : Memory that it does not fit, or None
    """

    def __init__(self, message, memory=None):
        super().__init__(message)
        self.memory = memory


class Rows:
    """Allocate runs of whole rows of one memory, first fit from either end.

    Parameters
    ----------
    config : CoreConfig
    memory : Memory
    """

    def __init__(self, config, memory):
        self.memory = memory
        self.name   = memory.name
        self.rows  = config.x_rows if memory is Memory.X else config.y_rows
        cells      = config.lanes * (1 if memory is Memory.X else config.ways)
        self.row_bytes = cells * CELL_BITS // 8
        self._taken = {}

    @property
    def free_rows(self):
        """Rows that nobody owns."""
        return self.rows - sum(self._taken.values())

    @property
    def longest(self):
        """The longest run of rows that nobody owns: (first row, rows)."""
        return max(((first, stop - first) for first, stop in self._gaps()),
                   key=lambda gap: gap[1], default=(0, 0))

    def copy(self):
        """Rows of which the same are taken."""
        other = copy(self)
        other._taken = dict(self._taken)
        return other

    def take(self, rows, what, *, top=False, align=1):
        """Reserve ``rows`` rows for ``what``, lowest place first or with ``top`` highest first.

        Returns the first row, without ``top`` a multiple of ``align``; AllocationError, with all
        sizes in bytes, if no gap is long enough.
        """
        aligned = [(-(-first // align) * align, stop) for first, stop in self._gaps()]
        gaps    = [(first, stop) for first, stop in aligned if stop - first >= rows]
        if not gaps:
            _, longest = self.longest
            raise AllocationError(
                f"{what} needs {rows * self.row_bytes} bytes of {self.name} memory; of its "
                f"{self.rows * self.row_bytes} bytes {self.free_rows * self.row_bytes} are free, "
                f"{longest * self.row_bytes} in one piece", self.memory)
        first = gaps[-1][1] - rows if top else gaps[0][0]
        if rows:
            self._taken[first] = rows
        return first

    def release(self, first):
        """Give back the run that starts at row ``first``; KeyError if there is none."""
        del self._taken[first]

    def _gaps(self):
        start = 0
        for first, rows in sorted(self._taken.items()):
            if first > start:
                yield start, first
            start = first + rows
        if start < self.rows:
            yield start, self.rows
