# SPDX-License-Identifier: Apache-2.0
"""Gather passes that arrange elements at memory strides; gap elements are undefined."""

from dataclasses import dataclass
from itertools import pairwise

from xymac.hdl.isa import BANKS, Access, AguMode, Op, Pass
from xymac.host.ir.fields import container_clip
from xymac.host.memory.packing import width_of

__all__ = ["GatherWindow", "arrange", "cut_dims"]

_OUTER   = 3            # output loops per pass, whose addresses wrap any number of times
_TAPS    = 3            # tap loops, inside these
_COUNT   = 1 << 16      # exclusive loop count limit
_STRIDES = 1 << 15      # exclusive stride limit


@dataclass(frozen=True)
class GatherWindow:
    """Gather window in X: ``size`` elements with ``bits`` bits, from element ``low`` on.

    A vector contains ``ways`` elements.
    """

    low:  int
    size: int
    bits: int
    ways: int

    @classmethod
    def of(cls, *layouts):
        """GatherWindow over placed TensorLayouts, including the memory between them."""
        first, *_ = layouts
        low  = min(layout.base for layout in layouts)
        high = max(layout.base + layout.span for layout in layouts)
        return cls(low * first.ways, (high - low) * first.ways, first.bits,
                   first.ways)


def cut_dims(dims, size):
    """Split ``dims``, by decreasing memory stride, into pass loops and gather loops.

    A single gather takes the second part: its memory strides are nested multiples without
    interleaving. ``size`` is the GatherWindow size in elements.
    """
    dims  = list(dims)
    start = len(dims) - 1
    while start and _fits(dims[start - 1:], size, is_whole=start == 1):
        start -= 1
    return dims[:start], dims[start:]


def _fits(dims, size, *, is_whole):
    """Whether a single gather can take the first of ``dims`` together with the others."""
    first, second = dims[:2]
    return (first.z % second.z == 0 and first.z >= second.count * second.z
            and _split_loops(dims, size, is_whole=is_whole) is not None)


def _split_loops(dims, size, *, is_whole):
    """Counts and strides of the output and tap loops for ``dims`` and their gaps, or None.

    Tap loops advance faster, so as many dims as possible are taps; their reach must wrap the
    address at most once. ``is_whole``: the loops start at the first element of the GatherWindow.
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
    """Gather pass for the elements in ``dims``, the second part from ``cut_dims``.

    Parameters
    ----------
    window : GatherWindow
    first : int, element address in X of the first element
    dims : Dims; the last has stride 1 in the target
    out : int, first output vector in X; the first dim's extent determines the vector count
    table : int, address of the gather words
    is_whole : bool, whether ``dims`` are the tensor's only dims
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
