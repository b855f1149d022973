# SPDX-License-Identifier: Apache-2.0
"""The X and Y elements that a pass reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import Count

from .gather import gather_sums

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xymac.hdl.isa import Pass

    from .steps import Fault
    from .window import Window

__all__ = ["Operands"]


@dataclass(frozen=True)
class Operands:
    """X elements [addresses, ways], Y elements [addresses, ways or 1, lanes], and their first
    addresses.
    A clipped tap has address 0; it maps to any valid index.
    """

    x:       np.ndarray
    y:       np.ndarray
    x_start: int
    y_start: int

    @classmethod
    def of(cls, pass_: Pass, windows: Mapping[Count, Window], lanes: int) -> Operands:
        """Operands for a pass, with the X zero point subtracted."""
        x, y = windows[Count.X].elements(), windows[Count.Y].elements()
        if pass_.operands.x_zero:
            x = x.astype(np.int16) - np.int16(pass_.operands.x_zero)
        return cls(x, y.reshape(len(y), -1, lanes), windows[Count.X].start, windows[Count.Y].start)

    def gather(self, pass_: Pass, chunk: np.ndarray) -> tuple[Fault | None, np.ndarray, np.ndarray]:
        """Fault, accumulators and Z vectors for some gather outputs; see ``gather_sums``."""
        first = pass_.operands.y.low - self.y_start
        ways  = self.y.shape[1]
        table = self.y[first:first + self.y.shape[2] * ways]
        return gather_sums(pass_, chunk, self.x[:, 0], table, self.x_start)

    def places(self, x_at: np.ndarray) -> np.ndarray:
        """Index into ``x`` for each address."""
        return np.maximum(x_at - self.x_start, 0)

    def weights(self, y_at: np.ndarray) -> np.ndarray:
        """Y elements at addresses."""
        return self.y[np.maximum(y_at - self.y_start, 0)]
