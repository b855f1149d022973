# SPDX-License-Identifier: Apache-2.0
"""A plan stage: a layer, or a reordering in front of a layer."""

from __future__ import annotations

from dataclasses import dataclass

from xymac.host.lower.base import Lowering

__all__ = ["Stage"]


@dataclass(frozen=True)
class Stage:
    """A layer or a reordering.

    Parameters
    ----------
    layer : int, layer index; for a reordering, the layer it serves
    lowering : Lowering
    sources : tuple of int, input numbers: first the plan's inputs, then each stage's output
    is_layer : bool, False for a reordering
    """

    layer:    int
    lowering: Lowering
    sources:  tuple[int, ...]
    is_layer: bool = False
