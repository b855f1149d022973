# SPDX-License-Identifier: Apache-2.0
"""Gather moves for any element order: one element per cycle."""

from dataclasses import dataclass, replace
from math import copysign, prod

import numpy as np

from xymac.hdl.isa import BANKS, Access, AguMode, Op, Pass
from xymac.host.ir.fields import container_clip
from xymac.host.memory.constants import Constants
from xymac.host.memory.packing import pack_vectors, width_of

from .loops import repeat_passes
from .strides import Dim, ElementMove

__all__ = ["GatherMove"]

_LOOPS   = 6            # loops per X access
_STRIDES = 1 << 15      # exclusive stride limit
_FETCH   = 24           # minimum cycles of a pass in a loop


@dataclass(frozen=True)
class GatherMove:
    """A reordering that writes the target's vectors in address order.

    Parameters
    ----------
    region : ElementMove
    """

    region: ElementMove

    possible = True

    @property
    def steps(self):
        """Cycles, without pass start-up."""
        around, inside, _ = self._split()
        return (prod(dim.count for dim in around)
                * max(prod(dim.count for dim in inside), _FETCH if around else 1))

    @staticmethod
    def constants(ways):
        """One-hot weight words per lane and MAC, on a row within gather addressing."""
        lanes   = BANKS * ways
        weights = np.eye(lanes * ways, dtype=np.int8).reshape(lanes, ways, lanes * ways)
        return Constants(pack_vectors(weights.transpose(0, 2, 1), ways), lanes * ways,
                         align=lanes * ways // 2, shared=True)

    def passes(self, constants):
        """Passes without ``wait`` and ``last``."""
        around, inside, padded = self._split()
        source, target, ways = self.region.source, self.region.target, self.region.source.ways
        low   = source.base * ways
        size  = source.span * ways
        count, steps, wraps = _nest(inside, size)
        table = constants.weights_row * 2
        pass_ = Pass(
            op=Op.GATHER, outer=count[:3], taps=count[3:], x_width=width_of(source.bits),
            z_width=width_of(target.bits), clip=container_clip(target.bits),
            x=Access(low + self.region.x, low, low + size - 1, steps[:3], steps[3:],
                     AguMode.MODULO if padded or wraps else AguMode.LINEAR),
            y=Access(table, table, table + BANKS * ways * ways - 1),
            z=target.access(offset=self.region.z // ways), z_memory=target.memory)
        return repeat_passes([pass_], [replace(dim, z=dim.z // ways) for dim in around])

    def _split(self):
        """(dims with a pass per index, dims of a pass, whether a pass also writes the padding).

        To write the padding, a pass reads beyond the innermost dimension.
        """
        dims, ways = list(self.region.dims), self.region.source.ways
        inner  = dims.pop() if dims and dims[-1].z == 1 else Dim(1, 1, 1)
        whole  = -(-inner.count // ways) * ways
        window = self.region.source.span * ways
        padded = (bool(dims) and inner.count < whole == dims[-1].z
                  and (whole - inner.count) * abs(inner.x) <= window)  # it wraps once
        inside = [replace(inner, count=whole) if padded else inner]
        size   = inside[0].count
        while (dims and len(inside) < _LOOPS and dims[-1].z == size
               and max(abs(dims[-1].x), abs(inner.x)) < _STRIDES):
            inside.insert(0, dims.pop())
            size *= inside[0].count
        if padded and dims:  # an address that an outer loop moves cannot wrap: one pass per run
            return [*dims, *inside[:-1]], [inner], False
        return dims, inside, padded


def _nest(inside, size):
    """(counts, strides) for six loops over Dims, and whether their addresses wrap.

    The Dims take the innermost loops. If two elements are too far apart for a stride, an output
    loop steps the opposite way around the window of ``size`` elements.
    """
    fill = (0,) * (_LOOPS - len(inside))
    if abs(inside[0].x) >= _STRIDES:
        [dim] = inside
        return (dim.count, *(1 for _ in fill)), (dim.x - int(copysign(size, dim.x)), *fill), True
    return ((*(1 for _ in fill), *(dim.count for dim in inside)),
            (*fill, *(dim.x for dim in inside)), False)
