# SPDX-License-Identifier: Apache-2.0
"""Plan statistics for each network layer, as numbers and text."""

from dataclasses import dataclass

__all__ = ["LayerFacts", "facts_of"]


@dataclass(frozen=True)
class LayerFacts:
    """A layer's plan statistics.

    Parameters
    ----------
    passes : int
    segments : int, number of programs with its passes
    tiles : int, tile count; 1 if it is not tiled
    moved : int, elements moved by its reordering passes
    loaded : int, constants written by the host for it, bytes
    renamed : bool, whether its output aliases its input
    folded : bool, whether its readers absorb it
    host : bool, whether the host computes it
    words : str, the plan's remarks
    """

    passes:   int = 0
    segments: int = 0
    tiles:    int = 1
    moved:    int = 0
    loaded:   int = 0
    renamed:  bool = False
    folded:   bool = False
    host:     bool = False
    words:    str = ""

    @property
    def remarks(self):
        """Remarks on the layer, empty if there are none."""
        return "computed by the host" if self.host else self.words


def facts_of(step, *, bytes_moved=False):
    """A plan step's LayerFacts; ``bytes_moved`` marks uint8 values stored as int8."""
    passes = len(step.passes)
    words  = ["uint8 less 128, as int8"] * bytes_moved + [step.remarks] * bool(step.remarks)
    return LayerFacts(passes, step.programs or int(passes > 0), getattr(step, "tiles", 1),
                      step.moved, step.loaded, step.renamed, step.folded,
                      words=", ".join(words))
