# SPDX-License-Identifier: Apache-2.0
"""Slide passes: each MAC in a lane reads the column before the previous MAC's column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .address import valid_taps

if TYPE_CHECKING:
    from xymac.hdl.isa import Pass

    from .operands import Operands

__all__ = ["blank_columns", "slide_sums"]


def blank_columns(pass_: Pass, c: np.ndarray) -> np.ndarray:
    """Mask [outputs]: whether the new column for the indices ``c`` lies beyond the image."""
    return c * pass_.loop.cols.step + pass_.loop.taps[1] - 1 >= pass_.loop.cols.size


def slide_sums(pass_: Pass, a: int, outputs: tuple[np.ndarray, ...], operands: Operands,
               weights: np.ndarray) -> np.ndarray:
    """Accumulators for the outputs ``(b, c)`` in vector ``a``: int64 [outputs, lanes].

    ``weights`` is [1 or outputs, tap rows, ways, lanes], for the last tap column.
    """
    b, c = outputs
    rows, columns = np.arange(pass_.loop.taps[0]), pass_.loop.taps[1]
    valid = valid_taps(pass_, b, c)[:, -len(rows):]
    total = np.zeros((len(c), weights.shape[3]), np.int64)
    for way in range(weights.shape[2]):
        column = c + columns - 1 - way  # 0 is the first column of the output row
        output = np.maximum(column - columns + 1, 0)
        tap    = np.clip(column, 0, columns - 1)
        places = _addresses(pass_, (a, b, output), rows, tap)
        beats  = np.minimum(operands.places(places)[..., None] + np.arange(pass_.epilogue.beats),
                            len(operands.x) - 1)
        values = operands.x[beats].reshape(*places.shape, -1).astype(np.int64)
        there  = valid & ((column >= 0) & ~blank_columns(pass_, output))[:, None]
        total += (values * weights[:, :, way].astype(np.int64) * there[..., None]).sum(1)
    return total


def _addresses(pass_, origin, rows, tap):
    """X addresses in each output's tap column ``tap``, int64 [outputs, rows]."""
    row, across = pass_.operands.x.taps[:2]
    outer = pass_.operands.x.outer
    start = tuple(np.broadcast_to(index, tap.shape) for index in origin)
    moved = start[0] * outer[0] + start[1] * outer[1] + start[2] * outer[2] + tap * across
    length = pass_.operands.x.high - pass_.operands.x.low + 1
    relative = pass_.operands.x.base - pass_.operands.x.low + moved[:, None] + rows * row
    return pass_.operands.x.low + np.clip(relative, 0, length - 1)
