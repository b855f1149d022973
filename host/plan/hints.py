# SPDX-License-Identifier: Apache-2.0
"""An output layout from an input's layout, as a hint for the layouts of all inputs."""

from __future__ import annotations

from xymac.golden.array import Array
from xymac.host.memory.layout import TensorLayout

__all__ = ["hint_of"]


def hint_of(layout: TensorLayout, x: Array) -> TensorLayout:
    """Layout of an Array like ``x`` in the order and with the run dimensions of ``layout``.

    Runs of another size become a single part: the parts of a broadcast operand do not hold them.
    Both have the same rank; other layouts than a TensorLayout give their own.
    """
    if not isinstance(layout, TensorLayout):
        return layout.like(x)
    run = layout.order[len(layout.order) - layout.inner:]
    if all(layout.shape[axis] == x.shape[axis] for axis in run):
        return layout.like(x)
    return TensorLayout.of(x, layout.order, layout.ways, inner=layout.inner)
