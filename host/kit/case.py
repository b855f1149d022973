"""One thing that a device is asked to compute."""

from dataclasses import dataclass

import numpy as np

import golden
from host.network.network import Network
from host.network.session import Session

from .operands import operands_of
from .operations import type_of

__all__ = ["Case"]


@dataclass(frozen=True, eq=False)
class Case:
    """An operation, its constants and its inputs.

    Parameters
    ----------
    operation : str, as "requantise", "conv2d" or "network"; see ``host.kit.operations``
    dialect : str, "mli-1", "mli-2", "xs3" or "tflm"
    name : str, of the case
    layer : a golden Layer, a Requantise, or for "network" a Network
    inputs : tuple, golden Arrays of the library; for "requantise" one int array, for "network"
        one array an input
    """

    operation: str
    dialect:   str
    name:      str
    layer:     object
    inputs:    tuple

    @property
    def type(self):
        """Type of the data, as ``host.kit.operations`` has them."""
        return type_of(self)

    @property
    def operands(self):
        """What a device needs, a dict of numpy arrays of its own and ints; see
        ``host.kit.operands``."""
        return {name: value.copy() if isinstance(value, np.ndarray) else value
                for name, value in operands_of(self).items()}

    def expected(self):
        """What golden computes: an array of the type that a device shall give.

        Of a network that is its last output.
        """
        if self.operation == "requantise":
            return self.layer.run(*self.inputs)
        if isinstance(self.layer, Network):
            return Session(self.layer).run(*self.inputs).outputs[-1].data
        return np.asarray(golden.run(self.layer, *self.inputs).output.data)
