# SPDX-License-Identifier: Apache-2.0
"""Persistent layer states: extra plan values, numbered after the inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.golden.array import Array
    from xymac.host.lower.base import Lowering

    from .graph import Node

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
    tensors: tuple[tuple[Array, ...], ...]

    @classmethod
    def of(cls, lowerings: Sequence[Lowering], count: int) -> States:
        """States of each layer's Lowering, numbered after ``count`` inputs."""
        return cls(count, tuple(lowering.states for lowering in lowerings))

    @property
    def every(self) -> list[Array]:
        """List of state Tensors, for all layers in order."""
        return [state for states in self.tensors for state in states]

    @property
    def numbers(self) -> range:
        """Range: all states' value numbers."""
        return range(self.first, self.first + len(self.every))

    def extend(self, nodes: Sequence[Node]) -> list[Node]:
        """Node list in which each layer's states are additional sources."""
        own, extended = iter(self.numbers), []
        for node, states in zip(nodes, self.tensors, strict=True):
            sources = [number + len(self.numbers) * (number >= self.first)
                       for number in node.sources]
            extended.append(replace(node, sources=(*sources, *(next(own) for _ in states))))
        return extended
