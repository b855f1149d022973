# SPDX-License-Identifier: Apache-2.0
"""Softmax along the last dimension as passes: each row by itself."""

from dataclasses import replace
from math import prod

from xymac.hdl.isa import Move
from xymac.host.ir.normalise import RowSoftmax, TableSoftmax
from xymac.host.lower.made_once import MadeOnce
from xymac.host.lower.orders import refuse_layout
from xymac.host.lower.relative import Area
from xymac.host.memory.layout import TensorLayout

from .rows.exact_passes import ExactBlock
from .rows.exact_tables import ExactTables
from .rows.row_block import rows_of_block
from .rows.share_passes import ShareBlock
from .rows.share_tables import ShareTables, ShortTables
from .rows.short_passes import ShortBlock
from .rows.wide_shares import WideRow

__all__ = ["RowLowering", "ShareLowering", "WideShareLowering"]


class RowLowering(MadeOnce):
    """A softmax along the last dimension."""

    needs_tables = True

    @property
    def fixed(self):
        """The last dimension: tiles keep full rows."""
        return (len(self.output.shape) - 1,)

    def source_layouts(self, preferred):
        """A run for each row."""
        [x] = self.inputs
        return (TensorLayout.of(x, range(len(x.shape)), self.ways),)

    def refuses(self, sources):
        """An input without a run for each row."""
        [source], [wanted] = sources, self.source_layouts(None)
        run = source.order[len(source.order) - source.inner:]
        if source.order != wanted.order or len(source.parts) > 1 or (
                prod(source.shape[axis] for axis in run) != source.shape[-1]):
            return refuse_layout(f"The input must lie as {wanted.arrangement}, not as "
                                 f"{source.arrangement}")
        return None

    def output_layout(self, sources):
        """The input layout."""
        return sources[0].like(self.output)


class ShareLowering(RowLowering):
    """A byte-to-byte softmax, by limit tables if it has them, or to 16 bits."""

    forms = (RowSoftmax,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        argument, count, bits = self.form.argument, x.shape[-1], self.form.bits
        kind = ShortTables if count <= ShortTables.MOST else ShareTables
        self._tables = kind.find(argument, count) if bits == x.bits else None
        self._exact  = ExactTables(argument, count, bits) if self._tables is None else None

    def make(self, space, sources, target):
        """Passes over row blocks sized to the lane entries: a loop, and the remaining rows."""
        [source] = sources
        rows   = prod(source.shape[:-1])
        blocks = -(-rows // rows_of_block(source))
        size   = -(-rows // blocks)
        count, rest = divmod(rows, size)
        passes = self._block(source, target, size, space, loop=count == 1)
        steps  = size * source.distance, size * target.distance
        passes = _repeat(passes, count, steps)
        if rest:
            last    = self._block(source, target, rest, space, loop=True)
            passes += [_start(pass_, *(count * step for step in steps)) for pass_ in last]
        return passes

    def _block(self, source, target, count, space, *, loop):
        """Passes over the first ``count`` rows, in a loop unless they may contain their own loop.
        """
        if self._exact is None:
            kind = ShortBlock if isinstance(self._tables, ShortTables) else ShareBlock
            return [*kind(self._tables, source, target, count, space).make()]
        return ExactBlock(self._exact, source, target, count, space).make(loop=loop)


class WideShareLowering(RowLowering):
    """A 16-bit to 16-bit softmax, by two tables."""

    forms = (TableSoftmax,)

    def make(self, space, sources, target):
        """Passes over the first row, repeated for every further row."""
        [source] = sources
        row = WideRow(self.form, source, target, space)
        return _repeat([*row.make()], prod(source.shape[:-1]), (source.distance, target.distance))


def _repeat(passes, count, steps):
    """A pass loop, whose input and output are ``steps`` groups later each time."""
    if count == 1:
        return passes
    passes = [_move(pass_) for pass_ in passes]
    passes[-1] = replace(passes[-1], back=len(passes) - 1, repeat=count - 1, advance=steps)
    return passes


def _move(pass_):
    """The pass with accesses to input and output that move on with every block."""
    x, z = pass_.operands.x, pass_.epilogue.z
    return replace(pass_, x=replace(x, move=Move.FIRST) if x.area == 0 else x,
                   z=replace(z, move=Move.SECOND) if z.area is Area.TARGET else z)


def _start(pass_, x_groups, z_groups):
    """The pass with input and output so many groups later."""
    x, z = pass_.operands.x, pass_.epilogue.z
    return replace(pass_, x=replace(x, base=x.base + x_groups) if x.area == 0 else x,
                   z=replace(z, base=z.base + z_groups) if z.area is Area.TARGET else z)
