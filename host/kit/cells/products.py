# SPDX-License-Identifier: Apache-2.0
"""Sums of a cell's products under a Rule."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.host.kit.model import compute, total
from xymac.host.kit.sums import Sums

if TYPE_CHECKING:
    from xymac.host.kit.narrowing import Narrowing
    from xymac.host.kit.rule import Rule

__all__ = ["finish", "gather", "without_bias"]


def gather(narrowing: Narrowing, data: np.ndarray, weights: np.ndarray, bias: np.ndarray,
           **columns: Any) -> Sums:
    """Sums for every pair of a ``data`` row and a ``weights`` row, row by row.

    Parameters
    ----------
    data, weights : int64 arrays (rows, inputs) and (outputs, inputs), without zero points
    bias : int64 array that broadcasts to (rows, outputs)
    columns : as in ``Sums.of``; arrays have a number for each output
    """
    shape = len(data), len(weights)
    wide: dict[str, Any] = {
        name: np.broadcast_to(value, shape).reshape(-1) for name, value in columns.items()}
    return Sums.of(narrowing, np.repeat(data, shape[1], axis=0).T,
                   np.tile(weights, (shape[0], 1)).T,
                   bias=np.broadcast_to(bias, shape).reshape(-1), **wide)


def finish(rule: Rule, sums: Sums, shape: tuple[int, ...], *, shifts: bool = True) -> np.ndarray:
    """Device results for Sums under a Rule, int64: elements, or bare sums without ``shifts``."""
    values = (compute if shifts else total)(sums.narrowing.under(rule), sums)
    return values.astype(np.int64).reshape(shape)


def without_bias(rule: Rule) -> Rule:
    """The Rule without bias differences, for sums that continue earlier sums."""
    return replace(rule, bias_bits=None, bias_limit=None, bias_after=None, folded=None)
