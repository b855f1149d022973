# SPDX-License-Identifier: Apache-2.0
"""Products and parameters for outputs, a column per output: a Narrowing's input."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .narrowing import Narrowing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["COLUMNS", "ROWS", "TERMS", "Sums"]

ROWS    = ("elements", "weights")  #: Fields with one row per product,
TERMS   = ("raw", "scale", "places", "rest")  #: with one row per input of a tensor sum,
#: and with one number per output.
COLUMNS = ("bias", "padding", "left", "early", "factor", "multiplier", "addend", "shift",
           "divisor", "zero", "low", "high", "input_zero", "outside", "whole_divisor",
           "whole_multiplier", "whole_addend", "whole_shift", "case", "index")
_ONES   = ("factor", "multiplier", "divisor", "whole_divisor", "whole_multiplier")


@dataclass(frozen=True, eq=False)
class Sums:
    """Outputs with a common narrowing.

    An output is ``((sum * 2**left * factor) / 2**early * multiplier + addend) / 2**shift + zero``,
    with ``divisor`` in place of ``2**shift`` for some means, limited to ``low`` .. ``high``;
    ``narrowing`` defines rounding and limits.

    Parameters
    ----------
    narrowing : the library's Narrowing
    elements, weights : int64 arrays (products, outputs), in order, without zero points; zeros fill
        blocks. For a requantiser the element is the sum, and the weight is 1.
    bias : int64 array (outputs,), like all following fields; aligned with the products
    padding : amount added to the sum if padding elements are 0
    left, early, shift : bits; a negative shift moves left
    factor, multiplier : factors before and after the early shift; one of them is 1
    addend : added to the product
    divisor : for a mean; 1 if a shift divides
    zero, low, high : zero point and limits, inclusive
    input_zero : zero point already subtracted from the elements
    outside : for a mean, the sum of the padding elements, each the input zero point
    whole_divisor, whole_multiplier, whole_addend, whole_shift : for a mean over the whole window,
        padding included
    case, index : case number, and output number within the case
    raw, scale, places, rest : int64 arrays (inputs, outputs) for a tensor sum, otherwise 0 rows: an
        element is ``raw * scale / 2**places / 2**rest``, or without the first shift for a single
        shift
    """

    narrowing:  Narrowing
    elements:   np.ndarray
    weights:    np.ndarray
    bias:       np.ndarray
    padding:    np.ndarray
    left:       np.ndarray
    early:      np.ndarray
    factor:     np.ndarray
    multiplier: np.ndarray
    addend:     np.ndarray
    shift:      np.ndarray
    divisor:    np.ndarray
    zero:       np.ndarray
    low:        np.ndarray
    high:       np.ndarray
    input_zero: np.ndarray
    outside:    np.ndarray
    whole_divisor:    np.ndarray
    whole_multiplier: np.ndarray
    whole_addend:     np.ndarray
    whole_shift:      np.ndarray
    case:       np.ndarray
    index:      np.ndarray
    raw:        np.ndarray
    scale:      np.ndarray
    places:     np.ndarray
    rest:       np.ndarray

    @classmethod
    def of(cls, narrowing: Narrowing, elements: np.ndarray, weights: int | np.ndarray,
           terms: Mapping[str, np.ndarray] | None = None, **columns: Any) -> Sums:
        """Sums from products; columns are ints or arrays, with defaults 1 for factors and 0
        otherwise.

        ``terms`` are the arrays of scaled inputs by name.
        """
        count  = elements.shape[1]
        terms  = terms or dict.fromkeys(TERMS, np.zeros((0, count)))
        values = {"index": np.arange(count)} | dict.fromkeys(_ONES, 1) | columns
        rows   = (np.broadcast_to(np.asarray(row, np.int64), elements.shape)
                  for row in (elements, weights))
        return cls(narrowing, *rows,
                   **{name: np.asarray(terms[name], np.int64) for name in TERMS},
                   **{name: np.broadcast_to(np.asarray(values.get(name, 0), np.int64), (count,))
                      for name in COLUMNS})

    @cached_property
    def products(self) -> np.ndarray:
        """Elements times weights."""
        return self.elements * self.weights

    @cached_property
    def total(self) -> np.ndarray:
        """Every output's product sum."""
        return self.products.sum(axis=0)

    @cached_property
    def zeros(self) -> np.ndarray:
        """Amount added to the sum if the elements keep their zero point."""
        return self.input_zero * self.weights.sum(axis=0)

    @cached_property
    def reach(self) -> np.ndarray:
        """Every output's sum over product magnitudes."""
        return np.abs(self.products).sum(axis=0)

    @property
    def count(self) -> int:
        """Outputs."""
        return self.elements.shape[1]

    def take(self, places: np.ndarray) -> Sums:
        """The outputs at ``places``, an array index."""
        return Sums(self.narrowing, **{
            name: _pick(getattr(self, name), places) for name in (*ROWS, *TERMS, *COLUMNS)})

    def of_case(self, number: int) -> Sums:
        """The same Sums as case ``number``'s outputs."""
        return replace(self, case=np.full(self.count, number))

    @staticmethod
    def join(parts: Sequence[Sums]) -> Sums:
        """All ``parts``, which share a narrowing, as a single Sums; zeros fill missing products."""
        most  = max(part.elements.shape[0] for part in parts)
        block = parts[0].narrowing.block
        most  = -(-most // block) * block
        rows  = {name: np.concatenate([_fill(getattr(part, name), most) for part in parts], axis=1)
                 for name in ROWS}
        rows |= {name: np.concatenate([getattr(part, name) for part in parts], axis=1)
                 for name in TERMS}
        return Sums(parts[0].narrowing, **rows, **{
            name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS})


def _pick(values, places):
    """Columns of an array; of equal columns without memory of their own, as many again."""
    if values.strides[-1] or not values.shape[-1]:
        return values.take(places, axis=-1)
    return np.broadcast_to(values[..., :1], (*values.shape[:-1], len(places)))


def _fill(rows, count):
    return np.pad(rows, ((0, count - rows.shape[0]), (0, 0)))
