# SPDX-License-Identifier: Apache-2.0
"""Output layouts from input layouts, as hints."""

from __future__ import annotations

from xymac.golden.array import Array
from xymac.host.memory.layout import TensorLayout

__all__ = ["hint_of"]


def hint_of(layout: TensorLayout, x: Array) -> TensorLayout:
    """Layout for an Array like ``x``: the order and run dimensions from ``layout``.

    Longer runs become a single part, because a broadcast operand has shorter parts. Both have the
    same rank; for a layout besides TensorLayout, its own ``like``.
    """
    if not isinstance(layout, TensorLayout):
        return layout.like(x)
    run = layout.order[len(layout.order) - layout.inner:]
    if all(layout.shape[axis] == x.shape[axis] for axis in run):
        return layout.like(x)
    return TensorLayout.of(x, layout.order, layout.ways, inner=layout.inner)
