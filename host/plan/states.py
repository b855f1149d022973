# SPDX-License-Identifier: Apache-2.0
"""Persistent layer states: extra plan values, numbered after the inputs."""

from dataclasses import dataclass, replace

__all__ = ["States"]


@dataclass(frozen=True)
class States:
    """The states in a plan.

    Every state has its own rows for the whole program. The program reads the state there and leaves
    the next run's state there.

    Parameters
    ----------
    first : int, first state's value number, equal to the input count
    tensors : tuple of Tensor tuples, for each layer: initial states
    """

    first:   int
    tensors: tuple

    @classmethod
    def of(cls, lowerings, count):
        """States of each layer's Lowering, numbered after ``count`` inputs."""
        return cls(count, tuple(lowering.states for lowering in lowerings))

    @property
    def every(self):
        """List of state Tensors, for all layers in order."""
        return [state for states in self.tensors for state in states]

    @property
    def numbers(self):
        """Range: all states' value numbers."""
        return range(self.first, self.first + len(self.every))

    def extend(self, nodes):
        """Node list in which each layer's states are additional sources."""
        own, extended = iter(self.numbers), []
        for node, states in zip(nodes, self.tensors, strict=True):
            sources = [number + len(self.numbers) * (number >= self.first)
                       for number in node.sources]
            extended.append(replace(node, sources=(*sources, *(next(own) for _ in states))))
        return extended
