# SPDX-License-Identifier: Apache-2.0
"""Softmax and L2 normalisation: elements divided by a sum over their row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from xymac.hdl.isa import OWN_TABLES, TABLES, RoundMode, Table
from xymac.host.memory.tables import OwnTable

from .exponential import BELOW, SUM_BITS, exponentials, logarithm, share
from .fields import container_clip
from .requantiser import Requantiser
from .rescale import divide, rescale

__all__ = ["LOG_BITS", "ROOT_BITS", "TABLE_STEP", "L2Norm", "LogSoftmax", "RowSoftmax",
           "SoftmaxForm", "TableSoftmax"]

ROOT_BITS  = TABLES[Table.ROOT].out_frac_bits  #: Fractional bits of an inverse root,
TABLE_STEP = 7   #: interpolation bits of a ``TableSoftmax``,
LOG_BITS   = 22  #: and bits of a logarithm, Q5.26, below a step of the output.
_SQUARE_BITS = 8              #: Fractional bits of a root's argument.
_NORMAL = 1 << 16, (1 << 17) - 1  #: A sum shifted to 17 bits.


@dataclass(frozen=True)
class SoftmaxForm:
    """A softmax.

    Parameters
    ----------
    halves : bool, elements are halved if their range exceeds half the container
    powers : tuple of dict, fields for the passes computing exponentials; the first reads elements
        minus the maximum, each further pass the previous results
    bits : int, width of exponentials and intermediate results
    share : dict, fields for the pass multiplying an exponential by the inverse sum
    records : tuple of int, parameters for the scaled passes in ``powers``, the bias last
    tables : tuple of OwnTable, for the first codes of ``OWN_TABLES``
    axis : int, dimension along which to sum, -1 for the full tensor
    """

    halves:  bool
    powers:  tuple[dict[str, Any], ...]
    bits:    int
    share:   dict[str, Any]
    records: tuple[int, ...] = ()
    axis:    int = -1
    tables:  tuple[OwnTable, ...] = ()


@dataclass(frozen=True)
class L2Norm:
    """Elements divided by the square root of the sum of all squares.

    Parameters
    ----------
    axis : int, dimension along which to sum, -1 for the full tensor
    zero : int, element zero point
    table : Table or OwnTable, inverse roots
    table_shift : int, interpolation bits
    rounding : RoundMode
    frac_bits : int, fractional output bits
    """

    axis:        int
    zero:        int
    table:       Table | OwnTable
    table_shift: int
    rounding:    RoundMode
    frac_bits:   int

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a signed-integer array."""
        a = a.astype(np.int64) - self.zero
        if self.axis < 0:
            return self._divide(a.reshape(-1), bits).reshape(a.shape)
        return np.apply_along_axis(self._divide, self.axis, a, bits)

    def _divide(self, a, bits):
        squares = int((a * a).sum())
        shift   = squares.bit_length() - 15
        shift  += shift & 1
        tables  = (self.table,) if isinstance(self.table, OwnTable) else ()
        root    = Requantiser(16, (), {
            "shift": shift, "rounding": self.rounding, "table_rounding": self.rounding,
            "table": OWN_TABLES[0] if tables else self.table, "table_shift": self.table_shift},
            tables).compute([squares])
        shift   = ROOT_BITS + (shift + _SQUARE_BITS >> 1) - self.frac_bits
        return Requantiser(bits, (), {"shift": shift, "rounding": self.rounding}).compute(a * root)


@dataclass(frozen=True)
class RowSoftmax:
    """Byte softmax along the last dimension, in 32-bit numbers.

    Parameters
    ----------
    argument : (multiplier, exponent, least), see ``exponentials``
    bits : int, 8 or 16: the output is a share in ``2**-bits`` steps, minus a half
    """

    argument: tuple[int, int, int]
    bits:     int

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a byte array."""
        powers = _powers(self.argument, a)
        shares = share(powers, _add_up(powers), self.bits) - (1 << self.bits - 1)
        return np.clip(shares, *container_clip(bits))


@dataclass(frozen=True)
class TableSoftmax:
    """16-bit softmax along the last dimension, by tables; the output is Q0.15.

    Parameters
    ----------
    factor : (multiplier, exponent) for a difference from the largest element
    powers, inverses : OwnTables of negative exponentials, and of negative inverse sums
    """

    factor:   tuple[int, int]
    powers:   OwnTable
    inverses: OwnTable

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """16-bit outputs for a 16-bit element array."""
        scaled = rescale(_below(a), *self.factor) + (1 << 15) - 1
        powers = self._look_up(self.powers, np.clip(scaled, *container_clip(16)))
        total  = powers.sum(-1, keepdims=True)
        places = np.frexp(total.astype(np.float64))[1].astype(np.int64)
        mean   = (total << 32 - places - 1) + (1 << 13) >> 14
        inverse = self._look_up(self.inverses, np.clip(mean, *_NORMAL))
        return np.clip(divide(powers * inverse, places - 1), 0, (1 << 15) - 1)

    @staticmethod
    def _look_up(table, elements):
        fields = {"table": OWN_TABLES[0], "table_shift": TABLE_STEP, "clip": (-1 << 17, 1 << 17),
                  "table_rounding": RoundMode.UP}
        return -Requantiser(16, (), fields, (table,)).compute(elements)


@dataclass(frozen=True)
class LogSoftmax:
    """Byte softmax logarithms along the last dimension, in steps of 1/16 below 127.

    ``argument`` is (multiplier, exponent, least), see ``exponentials``.
    """

    argument: tuple[int, int, int]

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a byte array."""
        multiplier, exponent, least = self.argument
        below  = _below(a)
        scaled = rescale(np.maximum(below, least), multiplier, exponent)
        values = divide(scaled - logarithm(_add_up(_powers(self.argument, a))), LOG_BITS) + 127
        low, high = container_clip(bits)
        return np.where(below < least, low, np.clip(values, low, high))


def _below(a):
    """Elements minus the largest of their row."""
    a = a.astype(np.int64)
    return a - a.max(-1, keepdims=True)


def _powers(argument, a):
    """Exponentials, Q0.31, for bytes minus the largest of their row."""
    return exponentials(*argument)[_below(a) - BELOW[0]]


def _add_up(powers):
    """Each row's exponential sum, in units of ``2**-19``."""
    return divide(powers, SUM_BITS).sum(-1, keepdims=True)
