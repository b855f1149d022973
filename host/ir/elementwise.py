# SPDX-License-Identifier: Apache-2.0
"""Elements made into elements, one sweep over tensors after the other."""

from dataclasses import dataclass, field

import numpy as np

from xymac.hdl.isa import FLOOR_BITS, Op
from xymac.host.memory.layout import LOW_OFFSET

from .requantiser import Requantiser

__all__ = ["ElementMap", "ElementMaps", "IndexedMaps", "TabledMaps", "split"]


@dataclass(frozen=True)
class ElementMap:
    """What one sweep makes of the elements of one TensorLayout or several.

    An output is the sum, or the extreme, of its elements, each times all of its weights.

    Parameters
    ----------
    weights : int8 or int16 [elements, weights of each, n], n 1 or the size of the dimension that
        parameters differ along
    reads : names of layouts that lie equally far apart: ``a`` and ``b`` the inputs, ``out`` the
        output, ``s0``, ``s1`` ... scratch; of elements of 32 bits ``a_upper`` and ``a_lower``
    writes : name of a TensorLayout
    records : tuple of int64 [n], as a pass reads them: parameters if scaled, the bias last; or none
    output : dict of the fields of a Pass
    """

    weights: np.ndarray
    reads:   tuple = ("a",)
    writes:  str = "out"
    records: tuple = ()
    output:  dict = field(default_factory=dict)

    @classmethod
    def of(cls, *weights, **fields):
        """With one weight for each element that is read, and the same parameters everywhere."""
        values = np.array(weights)
        least  = min(values.min(), -values.max() - 1)  # Of the type, which has a sign.
        return cls(values.astype(np.min_scalar_type(least))[:, None, None], **fields)

    def evaluate(self, bits, held, axis, tables):
        """Elements of ``bits`` of the arrays ``held`` by their names; parameters differ along
        dimension ``axis``."""
        zero  = self.output.get("x_zero", 0)
        reads = [held[name].astype(np.int64) - zero for name in self.reads]
        if axis is not None:
            reads = [np.moveaxis(each, axis, -1) for each in reads]
        terms = [each * weight for each, weights in zip(reads, self.weights.astype(np.int64),
                                                        strict=True) for weight in weights]
        total = {Op.MAX: np.max, Op.MIN: np.min}.get(self.output.get("op"), np.sum)(terms, axis=0)
        if self.output.get("floor"):  # of all that is added up before the last product
            total = total - (total - terms[-1] + self.records[-1]) % (
                1 << self.output["floor"] + FLOOR_BITS)
        made  = Requantiser(bits, self.records, self.output, tables).compute(total)
        return made if axis is None else np.moveaxis(made, -1, axis)

    @property
    def steps(self):
        """Products of an output."""
        return self.weights.shape[0] * self.weights.shape[1]

    @property
    def bits(self):
        """Bits of a weight."""
        return 8 * self.weights.itemsize

    @property
    def size(self):
        """Different parameters along the dimension."""
        return max([self.weights.shape[2], *(len(record) for record in self.records)])


@dataclass(frozen=True)
class ElementMaps:
    """Maps one after the other.

    Parameters
    ----------
    maps : tuple of ElementMap
    axis : int or None, the dimension that parameters differ along
    scratch : tuple of int, bits of ``s0``, ``s1`` and so on as far as there are any
    flags : bool, a sum that leaves the accumulator is told of
    """

    maps:    tuple
    axis:    int | None = None
    scratch: tuple = ()
    flags:   bool = True

    tables = ()

    def evaluate(self, bits, **held):
        """Outputs of ``bits`` each, of the arrays of signed integers ``held`` by their names."""
        for name in [name for name, each in held.items() if each.dtype.itemsize == 4]:
            held |= {f"{name}_upper": held[name] >> 16,
                     f"{name}_lower": (held[name] & 0xFFFF) - LOW_OFFSET}
        widths = {"out": bits, "out_upper": 16, "out_lower": 16} | {
            f"s{slot}": width for slot, width in enumerate(self.scratch)}
        for map_ in self.maps:
            held[map_.writes] = map_.evaluate(widths[map_.writes], held, self.axis, self.tables)
        if bits == 32:
            return (held["out_upper"] << 16) + held["out_lower"] + LOW_OFFSET
        return held["out"]


@dataclass(frozen=True)
class TabledMaps(ElementMaps):
    """ElementMaps that look up in ``tables``, a tuple of OwnTable, for the first codes of
    ``OWN_TABLES``."""

    tables: tuple = ()


@dataclass(frozen=True)
class IndexedMaps:
    """ElementMaps of their own for every index of a dimension, whose steps are whole runs.

    Parameters
    ----------
    forms : tuple of ElementMaps without an axis, one an index
    axis : int, the dimension
    """

    forms: tuple
    axis:  int
    flags: bool = True

    def evaluate(self, bits, **held):
        """Outputs; see ``ElementMaps``."""
        return np.concatenate([form.evaluate(bits, **{
            name: each.take([index], self.axis) for name, each in held.items()})
            for index, form in enumerate(self.forms)], self.axis)

    @property
    def maps(self):
        """Those of all indices, a tuple."""
        return tuple(map_ for form in self.forms for map_ in form.maps)

    @property
    def scratch(self):
        """Bits of the scratch, as much as any index has."""
        return max((form.scratch for form in self.forms), key=len)


def split(weights):
    """Weights of more than 16 bits as several ones that add up to them: int16 [weights, parts, 1].
    """
    most   = (1 << 15) - 1
    parts  = max(1, *(-(-weight // most) if weight > 0 else -(weight // (most + 1))
                      for weight in weights))
    values = [[weight // parts + (part < weight % parts) for part in range(parts)]
              for weight in weights]
    return np.array(values, np.int16)[..., None]
