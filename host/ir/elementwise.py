# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations as a sequence of sweeps over tensors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import FLOOR_BITS, Op
from xymac.host.memory.layout import LOW_OFFSET

from .requantiser import Requantiser

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from xymac.host.memory.tables import OwnTable

__all__ = ["ElementMap", "ElementMaps", "IndexedMaps", "TabledMaps", "split"]

_TOTALS: dict[Any, Callable[..., Any]] = {Op.MAX: np.max, Op.MIN: np.min}


@dataclass(frozen=True)
class ElementMap:
    """A sweep over the elements of one or several TensorLayouts.

    An output is the sum, maximum or minimum over its elements times their weights.

    Parameters
    ----------
    weights : int8 or int16 [elements, weights per element, n]; n is 1 or the dimension size
        with different parameters
    reads : names of layouts at equal address distances: inputs ``a`` and ``b``, output ``out``,
        scratch ``s0``, ``s1`` ...; for 32-bit elements ``a_upper`` and ``a_lower``
    writes : TensorLayout name
    records : tuple, int64 [n] each, per-channel pass parameters: scale parameters, if any, then the
        bias; or empty
    output : dict, Pass fields
    """

    weights: np.ndarray
    reads:   tuple[str, ...] = ("a",)
    writes:  str = "out"
    records: tuple[np.ndarray, ...] = ()
    output:  dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, *weights: int, **fields: Any) -> ElementMap:
        """ElementMap with a weight per element read and equal parameters for all channels."""
        values = np.array(weights)
        least  = min(values.min(), -values.max() - 1)  # A signed type also holds this value.
        return cls(values.astype(np.min_scalar_type(least))[:, None, None], **fields)

    def evaluate(self, bits: int, held: Mapping[str, np.ndarray], axis: int | None,
                 tables: tuple[OwnTable, ...]) -> np.ndarray:
        """``bits``-bit elements from the arrays ``held`` (by name).

        Parameters differ along dimension ``axis``, if not None.
        """
        zero  = self.output.get("x_zero", 0)
        terms = []
        for name, weights in zip(self.reads, self.weights.astype(np.int64), strict=True):
            if name in held or weights.any():  # A weight 0 may lie over a later output.
                each   = held[name].astype(np.int64) - zero
                terms += [(each if axis is None else np.moveaxis(each, axis, -1)) * weight
                          for weight in weights]
        total = _TOTALS.get(self.output.get("op"), np.sum)(terms, axis=0)
        if self.output.get("floor"):  # for the sum before the last product
            total = total - (total - terms[-1] + self.records[-1]) % (
                1 << self.output["floor"] + FLOOR_BITS)
        made  = Requantiser(bits, self.records, self.output, tables).compute(total)
        return made if axis is None else np.moveaxis(made, -1, axis)

    @property
    def steps(self) -> int:
        """Products per output."""
        return self.weights.shape[0] * self.weights.shape[1]

    @property
    def bits(self) -> int:
        """Weight width."""
        return 8 * self.weights.itemsize

    @property
    def size(self) -> int:
        """Number of parameter sets along the dimension."""
        return max([self.weights.shape[2], *(len(record) for record in self.records)])


@dataclass(frozen=True)
class ElementMaps:
    """ElementMaps in sequence.

    Parameters
    ----------
    maps : tuple of ElementMap
    axis : int or None, dimension with different parameters
    scratch : tuple of int, widths for ``s0``, ``s1`` ...
    flags : bool, an accumulator overflow is reported
    """

    maps:    tuple[ElementMap, ...]
    axis:    int | None = None
    scratch: tuple[int, ...] = ()
    flags:   bool = True

    tables = ()

    def evaluate(self, bits: int, **held: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs from the signed integer arrays ``held`` (by name)."""
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
    """ElementMaps with their own ``tables``, an OwnTable tuple for the first codes in
    ``OWN_TABLES``.
    """

    tables: tuple[OwnTable, ...] = ()


@dataclass(frozen=True)
class IndexedMaps:
    """Separate ElementMaps per index of a dimension whose steps are full runs.

    Parameters
    ----------
    forms : tuple of ElementMaps without an axis, for each index
    axis : int, the dimension
    """

    forms: tuple[ElementMaps, ...]
    axis:  int
    flags: bool = True

    def evaluate(self, bits: int, **held: Any) -> np.ndarray:
        """Outputs; see ``ElementMaps``."""
        return np.concatenate([form.evaluate(bits, **{
            name: each.take([index], self.axis) for name, each in held.items()})
            for index, form in enumerate(self.forms)], self.axis)

    @property
    def maps(self) -> tuple[ElementMap, ...]:
        """Maps for all indices, a tuple."""
        return tuple(map_ for form in self.forms for map_ in form.maps)

    @property
    def scratch(self) -> tuple[int, ...]:
        """Scratch widths, enough for every index."""
        return max((form.scratch for form in self.forms), key=len)


def split(weights: Sequence[int]) -> np.ndarray:
    """Each weight above 16 bits as a weight sum: int16 [weights, parts, 1]."""
    most   = (1 << 15) - 1
    parts  = max(1, *(-(-weight // most) if weight > 0 else -(weight // (most + 1))
                      for weight in weights))
    values = [[weight // parts + (part < weight % parts) for part in range(parts)]
              for weight in weights]
    return np.array(values, np.int16)[..., None]
