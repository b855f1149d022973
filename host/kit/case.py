"""One thing that a device is asked to compute."""

from dataclasses import dataclass

import numpy as np

import golden
from host.network.network import Network
from host.network.session import Session

from .elements import elements_of
from .operands import operands_of
from .operations import type_of
from .requantise import DTYPES

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

    @property
    def elements(self):
        """``operands`` of one element of the output after the other, where each needs one element
        of every input: an iterator of dicts of ints.

        Of "requantise" an element has the multiplier and the shift of its channel. ValueError for
        an operation that takes windows, rows or all of its inputs.
        """
        return elements_of(self)

    @property
    def shape(self):
        """Shape of the result that a device shall give, a tuple of ints."""
        return self._blank().shape

    @property
    def dtype(self):
        """numpy's type of that result."""
        return self._blank().dtype

    def _blank(self):
        """An array of the shape and the type of the result."""
        if self.operation == "requantise":
            return np.empty(np.shape(self.inputs[0]), DTYPES[self.layer.bits])
        if isinstance(self.layer, Network):
            return self.layer.values[-1].data
        return self.layer.output_like(*self.inputs).data

    def expected(self):
        """What golden computes: an array of the type that a device shall give.

        Of a network that is its last output.
        """
        if self.operation == "requantise":
            return self.layer.run(*self.inputs)
        if isinstance(self.layer, Network):
            return Session(self.layer).run(*self.inputs).outputs[-1].data
        return np.asarray(golden.run(self.layer, *self.inputs).output.data)
