"""What a plan does for each layer of a network, in numbers and in words."""

from dataclasses import dataclass

__all__ = ["LayerFacts", "facts_of"]


@dataclass(frozen=True)
class LayerFacts:
    """One layer.

    Parameters
    ----------
    passes : int
    segments : int, programs that its passes are in
    tiles : int, parts that it is cut into; 1 if it is whole
    moved : int, elements that reorderings for it move
    loaded : int, bytes of constants that the host writes before it
    renamed : bool, its output is its input
    folded : bool, the layers that read it do what it would do
    host : bool, the host computes it
    words : str, what a plan says of it
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
        """What became of it, in words; empty where there is nothing to say."""
        return "computed by the host" if self.host else self.words


def facts_of(step, *, bytes_moved=False):
    """The LayerFacts of a step of a plan; ``bytes_moved`` says that uint8 is int8 on the device."""
    passes = len(step.passes)
    words  = ["uint8 less 128, as int8"] * bytes_moved + [step.remarks] * bool(step.remarks)
    return LayerFacts(passes, step.programs or int(passes > 0), getattr(step, "tiles", 1),
                      step.moved, step.loaded, step.renamed, step.folded,
                      words=", ".join(words))
