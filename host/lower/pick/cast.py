# SPDX-License-Identifier: Apache-2.0
"""Elements with another width: 8 or 16 bits."""

from xymac.hdl.isa import BANKS, Access
from xymac.host.ir.pick import Widths
from xymac.host.lower.move.copies import CopyLowering
from xymac.host.lower.orders import refuse_other
from xymac.host.lower.sweep import Loop, copy, elementwise, sweep
from xymac.host.memory.layout import TensorLayout

__all__ = ["CastLowering"]


class CastLowering(CopyLowering):
    """8-bit elements copied to 16 bits, or low bytes copied from 16-bit elements.

    In a memory row the low bytes come first for all words: as 8-bit elements they are its first
    half.
    """

    forms = (Widths,)

    def source_layouts(self, preferred):
        """The preferred output layout, else flat."""
        [x] = self.inputs
        return (TensorLayout.flat(x, self.ways) if preferred is None else preferred.like(x),)

    def refuses(self, sources):
        """Gaps between the input runs."""
        [source] = sources
        return refuse_other(source, source.like(self.inputs[0])) if source.gap else None

    def target_layout(self, sources):
        """The input layout."""
        [source] = sources
        return source.like(self.output)

    def passes(self, sources, target, constants):
        """Copies of all vectors."""
        [source], one = sources, self.one(constants)
        if source.bits <= target.bits:
            return copy(source, target, one, source.span)
        return [pass_ for first, size, count in _list_rows(source)
                for pass_ in self._copy_bytes(source, target, one, first, size, count)]

    def _copy_bytes(self, source, target, one, first, size, count):
        """Passes copying the low bytes of ``size`` vectors per row, for ``count`` rows from vector
        ``first``.
        """
        groups   = source.row_groups  # per row; twice as many byte vectors
        row, at  = divmod(source.base + first, groups)
        last     = (source.base + source.span - 1) // groups
        pass_    = elementwise(
            target.bits, target.bits, y=one, z=target.access(offset=first),
            x=Access(2 * row * groups + at, 2 * source.row * groups, 2 * (last + 1) * groups - 1),
            z_memory=target.memory)
        return sweep(pass_, size, (BANKS, 0, BANKS), [Loop(count, 2 * groups, 0, groups)])


def _list_rows(source):
    """For each TensorLayout part with row-aligned vectors, or within a single row: its first
    vector, vectors and row count.
    """
    groups = source.row_groups
    head   = min(-source.base % groups, source.span)
    rows, tail = divmod(source.span - head, groups)
    pieces = [(0, head, 1), (head, groups, rows), (head + rows * groups, tail, 1)]
    return [piece for piece in pieces if piece[1] and piece[2]]
