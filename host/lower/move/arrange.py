# SPDX-License-Identifier: Apache-2.0
"""Elements as they lie in memory with gaps, by gathers; what is in the gaps is anything."""

from dataclasses import dataclass
from itertools import pairwise

from xymac.hdl.isa import BANKS, Access, AguMode, Op, Pass
from xymac.host.ir.fields import container_clip
from xymac.host.memory.packing import width_of

__all__ = ["Window", "arrange", "cut_dims"]

_OUTER   = 3            # output loops of a pass, in which addresses wrap as often as they like
_TAPS    = 3            # loops inside of these
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
    while start and _fits(dims[start - 1:], size, is_whole=start == 1):
        start -= 1
    return dims[:start], dims[start:]


def _fits(dims, size, *, is_whole):
    """Whether the first of ``dims`` can be taken together with the others."""
    first, second = dims[:2]
    return (first.z % second.z == 0 and first.z >= second.count * second.z
            and _split_loops(dims, size, is_whole=is_whole) is not None)


def _split_loops(dims, size, *, is_whole):
    """Counts and strides of the output loops and of the taps that give ``dims`` and their gaps, or
    None.

    As many as can be are taps, whose steps are quicker: those that reach no further than addresses
    wrap, once. ``is_whole`` says that they begin with the first element of the Window.
    """
    counts = [dims[0].count, *(outer.z // inner.z for outer, inner in pairwise(dims))]
    steps  = [dim.x for dim in dims]
    if max(counts) >= _COUNT or max(map(abs, steps)) >= _STRIDES:
        return None
    for outer in range(max(len(dims) - _TAPS, 0), min(len(dims), _OUTER) + 1):
        reach = sum((count - 1) * abs(step)
                    for count, step in zip(counts[outer:], steps[outer:], strict=True))
        if reach <= (2 * size - 1 if is_whole and not outer else size):
            front, back = _OUTER - outer, _TAPS - len(dims) + outer
            return [(*[fill] * front, *values[:outer], *[fill] * back, *values[outer:])
                    for values, fill in ((counts, 1), (steps, 0))]
    return None


def arrange(window, first, dims, out, table, *, is_whole=False):
    """The pass that writes the elements of ``dims``, all that ``cut_dims`` takes together.

    Parameters
    ----------
    window : Window
    first : int, place of the first element in X
    dims : Dims, the last one with a step of 1 in the target
    out : int, first group of X that is written; as many follow as the steps of the first dim take
    table : int, address of the words that gathers need
    is_whole : bool, ``dims`` are all that there are
    """
    counts, steps = _split_loops(dims, window.size, is_whole=is_whole)
    ways  = window.ways
    total = -(-dims[0].count * dims[0].z // ways)
    return Pass(
        op=Op.GATHER, outer=counts[:_OUTER], taps=counts[_OUTER:],
        x_width=width_of(window.bits), z_width=width_of(window.bits),
        clip=container_clip(window.bits),
        x=Access(first, window.low, window.low + window.size - 1, steps[:_OUTER], steps[_OUTER:],
                 AguMode.MODULO),
        y=Access(table, table, table + BANKS * ways * ways - 1),
        z=Access(out, out, out + total - 1))
