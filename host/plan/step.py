# SPDX-License-Identifier: Apache-2.0
"""Describe how a plan runs each layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xymac.host.memory.constants import Constants
from xymac.host.memory.layout import TensorLayout

if TYPE_CHECKING:
    from xymac.golden.array import Array
    from xymac.golden.layer import Layer

__all__ = ["FOLDED", "LayerStep", "TiledStep"]

FOLDED = "border of its readers"  #: Remark for a folded layer.


@dataclass(frozen=True)
class LayerStep:
    """A layer in a plan.

    Parameters
    ----------
    layer : golden layer
    sources : tuple of TensorLayout: inputs, then states
    target : the output's TensorLayout
    values : Constants in Y
    passes : tuple of int, the layer's passes within the program; other passes may lie between
    kept : bool, the output is still in X when the program ends
    blank : Tensor in the output format
    cell : a recurrent cell's new state in Y, a TensorLayout, or None
    moved : int, elements moved by reorderings for this layer
    renamed : bool, the layer is a view: its output is its input under another layout
    loaded : int, constant bytes written by the host before the layer because Y cannot hold all
        constants at once
    programs : int, programs loaded by the host before or within the layer because program memory
        cannot hold all passes at once
    folded : bool, the readers compute the layer: it has no layouts and no output
    """

    layer:     Layer
    sources:   tuple[TensorLayout, ...]
    target:    TensorLayout | None
    values:    Constants | None
    passes:    tuple[int, ...]
    kept:      bool
    blank:     Array | None
    cell:      TensorLayout | None = None
    moved:     int = 0
    renamed:   bool = False
    loaded:    int = 0
    programs:  int = 0
    folded:    bool = False

    @classmethod
    def of_folded(cls, layer: Layer) -> LayerStep:
        """LayerStep for a folded layer."""
        return cls(layer, (), None, None, (), False, None, folded=True)

    @property
    def remarks(self) -> str:
        """Text: reordered elements, loaded constant bytes and loaded programs; empty if there are
        none.
        """
        counts = {"elements moved:": self.moved, "bytes of constants loaded:": self.loaded,
                  "programs loaded:": self.programs}
        return ", ".join(["renamed"] * self.renamed + [FOLDED] * self.folded
                         + [f"{what} {count:,}" for what, count in counts.items() if count])


@dataclass(frozen=True)
class TiledStep:
    """A TiledPlan's layer: all its tiles' passes, and host actions; see ``LayerStep``."""

    layer:    Layer
    passes:   tuple[int, ...]
    kept:     bool
    remarks:  str
    moved:    int
    loaded:   int
    programs: int
    tiles:    int
    renamed:  bool
    folded:   bool = False

    @classmethod
    def of_folded(cls, layer: Layer) -> TiledStep:
        """TiledStep for a folded layer."""
        return cls(layer, (), False, FOLDED, 0, 0, 0, 1, False, folded=True)
