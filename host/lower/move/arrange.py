"""Elements as they lie in memory with gaps, by gathers; what is in the gaps is anything."""

from dataclasses import dataclass
from itertools import pairwise

from hdl.isa import BANKS, Access, AguMode, Op, Pass
from host.lower.sweep import container_clip
from host.memory.packing import width_of

__all__ = ["Window", "arrange", "cut_dims"]

_OUTER   = 3            # output loops of a pass, in which addresses wrap as often as they like
_LOOPS   = 6            # of an access of X
_COUNT   = 1 << 16      # a loop runs less often
_STRIDES = 1 << 15      # a stride is below that


@dataclass(frozen=True)
class Window:
    """Elements of X that are gathered from: ``size`` of ``bits`` each, from ``low`` on, ``ways`` of
    them a group."""

    low:  int
    size: int
    bits: int
    ways: int

    @classmethod
    def of(cls, *layouts):
        """Window of the elements of placed TensorLayouts, and of what is between them."""
        first, *_ = layouts
        low  = min(layout.base for layout in layouts)
        high = max(layout.base + layout.span for layout in layouts)
        return cls(low * first.ways, (high - low) * first.ways, first.bits,
                   first.ways)


def cut_dims(dims, size):
    """``dims``, from the largest step in memory on, as those that ``arrange`` takes one by one, and
    those that it takes together.

    Steps of the latter are multiples of one another and do not interleave. ``size`` is that of the
    Window.
    """
    dims  = list(dims)
    start = len(dims) - 1
    while start and _fits(dims[start - 1:], size):
        start -= 1
    return dims[:start], dims[start:]


def _fits(dims, size):
    """Whether the first of ``dims`` can be taken together with the others."""
    first, second = dims[:2]
    counts, steps = _loops(dims)
    reach = sum((count - 1) * abs(step) for count, step in zip(counts[3:], steps[3:], strict=True))
    return (first.z % second.z == 0 and first.z >= second.count * second.z and len(dims) <= _LOOPS
            and max(counts) < _COUNT and max(map(abs, steps)) < _STRIDES and reach <= size)


def _loops(dims):
    """Counts and strides of the loops that give ``dims`` and their gaps."""
    counts = [dims[0].count, *(outer.z // inner.z for outer, inner in pairwise(dims))]
    steps  = [dim.x for dim in dims]
    front  = max(_OUTER - len(dims), 0)
    back   = max(_LOOPS - front - len(dims), 0)
    return [*[1] * front, *counts, *[1] * back], [*[0] * front, *steps, *[0] * back]


def arrange(window, first, dims, out, table):
    """The pass that writes the elements of ``dims``, all that ``cut_dims`` takes together.

    Parameters
    ----------
    window : Window
    first : int, place of the first element in X
    dims : Dims, the last one with a step of 1 in the target
    out : int, first group of X that is written; as many follow as the steps of the first dim take
    table : int, address of the words that gathers need
    """
    counts, steps = _loops(dims)
    ways  = window.ways
    total = -(-dims[0].count * dims[0].z // ways)
    return Pass(
        op=Op.GATHER, outer=tuple(counts[:3]), taps=tuple(counts[3:]),
        x_width=width_of(window.bits), z_width=width_of(window.bits),
        clip=container_clip(window.bits),
        x=Access(first, window.low, window.low + window.size - 1, tuple(steps[:3]),
                 tuple(steps[3:]), AguMode.MODULO),
        y=Access(table, table, table + BANKS * ways * ways - 1),
        z=Access(out, out, out + total - 1))
