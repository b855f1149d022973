# SPDX-License-Identifier: Apache-2.0
"""What layers keep from one run of a plan to the next: values of the plan behind its inputs."""

from dataclasses import dataclass, replace

__all__ = ["States"]


@dataclass(frozen=True)
class States:
    """States of all layers of a plan. Every one has a place of its own for the whole program, which
    begins with what is there and leaves there what the next run begins with.

    Parameters
    ----------
    first : int, number of the first one among the values of a plan: that of its inputs
    tensors : tuple, one a layer: tuple of Tensor, what the first run begins with
    """

    first:   int
    tensors: tuple

    @classmethod
    def of(cls, lowerings, count):
        """States of Lowerings, one a layer, behind ``count`` inputs."""
        return cls(count, tuple(lowering.states for lowering in lowerings))

    @property
    def every(self):
        """Tensors of all layers."""
        return [state for states in self.tensors for state in states]

    @property
    def numbers(self):
        """Their numbers among the values of a plan, of all layers."""
        return range(self.first, self.first + len(self.every))

    def extend(self, nodes):
        """Nodes that take the states of their layers as further values."""
        own, extended = iter(self.numbers), []
        for node, states in zip(nodes, self.tensors, strict=True):
            sources = [number + len(self.numbers) * (number >= self.first)
                       for number in node.sources]
            extended.append(replace(node, sources=(*sources, *(next(own) for _ in states))))
        return extended
