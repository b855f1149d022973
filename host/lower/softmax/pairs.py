"""Softmax of TensorFlow Lite of rows of two bytes: a function of their difference, looked up."""

from dataclasses import replace
from math import prod

import numpy as np

from golden.tflm import Softmax
from hdl.isa import BANKS, Pass, RoundMode, Width
from host.lower.relative import Area, RelativeAccess
from host.lower.sweep import container_clip
from host.memory.tables import OwnTable

from .exponentials import SUM_BITS, divide, exponentials, share
from .tflm import RowLowering

__all__ = ["PairLowering"]

_MOST  = 255  #: The largest difference of two bytes.
_UPPER = 8    #: Bits below an element in an entry.


class PairLowering(RowLowering):
    """A softmax of INT8 to INT8 along a dimension of two elements."""

    layers = (Softmax,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        entries = [output << _UPPER for output in _outputs(layer.factor(x))]
        self._own = OwnTable((*entries, entries[-1]), _MOST)

    @classmethod
    def takes(cls, layer, inputs):
        """Whether there are two bytes a row."""
        [x] = inputs
        return super().takes(layer, inputs) and x.shape[-1] == 2 and (
            layer.output_dtype(x) == x.data.dtype)

    def make(self, space, sources, target):
        """A pass over as many rows at once as lanes have outputs, and one over what is left."""
        [source] = sources
        each     = max(1, BANKS // source.pitch)  # rows
        groups   = each * source.pitch
        weights  = replace(space.matrix(self._weights(each, source)).access(0, 0), outer=(0, 0, 0))
        look_up  = {"y": weights, "table": space.table(self._own), "clip": (-_MOST, _MOST),
                    "x_width": Width.BITS8, "y_width": Width.BITS8, "z_width": Width.BITS8,
                    "table_rounding": RoundMode.UP}
        passes, (count, rest) = [], divmod(prod(source.shape[:-1]), each)
        for first, many, rows in ((0, count, each), (count, 1, rest)):
            if many and rows:
                loops = {"outer": (0, 0, groups), "offset": first * groups}
                passes.append(Pass(
                    x=RelativeAccess.to(source, 0, taps=(0, 0, 1), **loops),
                    z=RelativeAccess.to(target, Area.TARGET, **loops), outer=(1, 1, many),
                    taps=(1, 1, rows * source.pitch), beats=rows * source.pitch, **look_up))
        return passes

    def _weights(self, rows, source):
        """Weights [lanes, elements of the groups of some rows]: each lane has the difference of its
        element from the other one."""
        slots   = source.slots()
        size    = source.pitch * source.ways
        weights = np.zeros((BANKS * source.ways, rows * size), np.int8)
        for row in range(rows):
            for own, other in (slots, slots[::-1]):
                lane = row * size + own
                weights[lane, lane], weights[lane, row * size + other] = 1, -1
        return weights


def _outputs(argument):
    """Outputs for all differences from the other element, from the least one on."""
    powers = exponentials(*argument)
    sums   = divide(powers, SUM_BITS) + divide(powers[-1:], SUM_BITS)
    low, high = container_clip(8)
    smaller   = share(powers, sums) + low
    larger    = share(np.full_like(powers, powers[-1]), sums)[::-1] + low
    return np.minimum(np.concatenate([smaller, larger[1:]]), high).tolist()
