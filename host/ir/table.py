# SPDX-License-Identifier: Apache-2.0
"""Functions of a single element as table lookups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .requantiser import Requantiser

if TYPE_CHECKING:
    from xymac.host.memory.tables import OwnTable

__all__ = ["ByteTable", "TableForm"]


@dataclass(frozen=True)
class TableForm:
    """A lookup in a core table.

    Parameters
    ----------
    bits : int, table value width
    look_up : dict, fields for the lookup pass
    records : tuple of int, that pass's parameters, the bias last
    narrow : dict, fields for the pass from table values to outputs; None if they are equal
    tables : tuple of OwnTable for the first codes of ``OWN_TABLES``
    """

    bits:    int
    look_up: dict[str, Any]
    records: tuple[int, ...] = ()
    narrow:  dict[str, Any] | None = None
    tables:  tuple[OwnTable, ...] = ()

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a signed-integer array."""
        found = Requantiser(self.bits, self.records, self.look_up, self.tables).compute(a)
        return found if self.narrow is None else Requantiser(bits, (), self.narrow).compute(found)


@dataclass(frozen=True)
class ByteTable:
    """A function of an 8-bit element.

    Parameters
    ----------
    outputs : tuple of 256 signed 8-bit ints, for the inputs -128 to 127
    """

    outputs: tuple[int, ...]

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """8-bit outputs for an 8-bit element array."""
        return np.array(self.outputs)[a.astype(np.int8).astype(int) + 128]
