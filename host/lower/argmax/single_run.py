"""Places of a whole tensor that lies as a single run, each place in a group of its own."""

from host.lower.base import Lowering
from host.memory.layout import TensorLayout

__all__ = ["SingleRunLowering"]


class SingleRunLowering(Lowering):
    """What is asked of a tensor as one slice."""

    def source_layouts(self, preferred):
        """As a single run."""
        return (TensorLayout.flat(self.inputs[0], self.ways),)

    def target_layout(self, sources):
        """Places of 32 bits.

        ValueError if the input lies in several parts.
        """
        [source] = sources
        if len(source.parts) > 1 or source.groups != source.pitch:
            raise ValueError(f"The input must lie in one piece, not in {source.parts}")
        return TensorLayout.of(self.output, (1, 0), self.ways)
