# SPDX-License-Identifier: Apache-2.0
"""What a plan knows of each of its layers."""

from dataclasses import dataclass

from xymac.host.memory.constants import Constants
from xymac.host.memory.layout import TensorLayout

__all__ = ["FOLDED", "Step"]

FOLDED = "border of its readers"  #: What becomes of a layer whose readers do its work.


@dataclass(frozen=True)
class Step:
    """One layer of a plan.

    Parameters
    ----------
    layer : golden layer
    sources : tuple of TensorLayout, where its inputs lie, and behind them its states
    target : TensorLayout, where its output lies
    values : Constants, what lies in Y
    passes : range, the layer's passes within the program
    kept : bool, the output is still in X when the program ends
    blank : Tensor like the output
    cell : TensorLayout of the new state that a recurrent cell leaves in Y, or None
    moved : int, elements that reordering for this layer moves
    renamed : bool, the layer moves none: its output is its input under another layout
    loaded : int, bytes of constants that the host writes before the layer, because Y does not hold
        all at once
    programs : int, that the host loads before or within the layer, because program memory does not
        hold all at once
    folded : bool, the layers that read it do what it would do: there is neither layout nor output
    """

    layer:     object
    sources:   tuple
    target:    TensorLayout
    values:    Constants
    passes:    range
    kept:      bool
    blank:     object
    cell:      TensorLayout | None = None
    moved:     int = 0
    renamed:   bool = False
    loaded:    int = 0
    programs:  int = 0
    folded:    bool = False

    @classmethod
    def of_folded(cls, layer, start):
        """That of a layer that others do, whose passes would begin at pass ``start``."""
        return cls(layer, (), None, None, range(start, start), False, None, folded=True)

    @property
    def remarks(self):
        """What became of the order of elements, and what the host did between programs, in words;
        empty where nothing did."""
        counts = {"elements moved:": self.moved, "bytes of constants loaded:": self.loaded,
                  "programs loaded:": self.programs}
        return ", ".join(["renamed"] * self.renamed + [FOLDED] * self.folded
                         + [f"{what} {count:,}" for what, count in counts.items() if count])
