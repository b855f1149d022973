# SPDX-License-Identifier: Apache-2.0
"""Emit the steps for a search part."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.executable.steps import TAKE

from ..emit import Ends

if TYPE_CHECKING:
    from xymac.golden.array import Array
    from xymac.host.executable.builder import Builder
    from xymac.host.plan.plan import Plan

__all__ = ["add_part", "add_values", "emit_search"]


def add_part(builder: Builder, x: Array, source: int, slices: tuple[slice, ...]) -> int:
    """Value number for a tensor like ``x``: ``source``, or its part at ``slices``."""
    if not slices:
        return source
    shape  = builder.shape_of(source)
    part   = builder.add_value(x)
    builder.take(source, np.arange(np.prod(shape)).reshape(shape)[slices].ravel(), part)
    return part


def add_values(builder: Builder, x: Array, source: int, places: np.ndarray) -> int:
    """Value number for ``source``'s elements at the indices ``places``, in ``x``'s format."""
    values = builder.add_value(replace(x, data=np.zeros(len(places), x.data.dtype)))
    builder.take(source, places, values)
    return values


def emit_search(plan: Plan, builder: Builder, source: tuple[int, tuple[slice, ...]],
                places: np.ndarray, to: int, rows: slice) -> None:
    """Run a Plan on ``source``, a (number, slices) pair, and store the found indices in ``to``'s
    rows.

    The Plan's output indexes ``places``, the elements' indices in the whole tensor.
    """
    found = builder.add_value(plan.blanks[0])
    plan.emit(builder, Ends((source,), ((0, found, ()),)))
    builder.compute(TAKE, (builder.add_constant(places), found), to, (rows,))
