# SPDX-License-Identifier: Apache-2.0
"""Elements made into elements, one sweep over tensors after the other."""

from dataclasses import dataclass, field

import numpy as np

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
