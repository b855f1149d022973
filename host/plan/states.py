# SPDX-License-Identifier: Apache-2.0
"""What layers keep from one run of a plan to the next: values of the plan behind its inputs."""

from dataclasses import dataclass, replace

from .transfers import read_tensor, write_tensor

__all__ = ["States", "put_states", "take_states"]


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

    def check(self, given):
        """Raise ValueError unless states, as ``PlanRun.states``, are those of the layers."""
        kinds = [[[(state.shape, state.data.dtype.name) for state in states] for states in each]
                 for each in (given, self.tensors)]
        if kinds[0] != kinds[1]:
            raise ValueError(f"States must have shapes and types {kinds[1]}, not {kinds[0]}")

    def write(self, device, layouts, given):
        """Write the states of all layers to a Device; ``layouts`` has the place of each."""
        every = (state for states in given for state in states)
        for state, layout in zip(every, layouts, strict=True):
            write_tensor(device, layout, replace(state, data=state.data.reshape(layout.shape)))

    def read(self, device, layouts):
        """New states: a tuple of Tensors, one a layer."""
        places = iter(layouts)
        return tuple(tuple(read_tensor(device, next(places), state) for state in states)
                     for states in self.tensors)


def take_states(states, slices):
    """The parts of states, Tensors, under slices of each; all of them without slices."""
    if not slices:
        return states
    return tuple(state.take(part) for state, part in zip(states, slices, strict=True))


def put_states(states, slices, parts):
    """States of which ``parts`` are new: those under slices of each, or all without slices."""
    if not slices:
        return parts
    states = tuple(replace(state, data=state.data.copy()) for state in states)
    for state, part, new in zip(states, slices, parts, strict=True):
        state.data[part] = new.data
    return states
