# SPDX-License-Identifier: Apache-2.0
"""A test case: a single device computation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac import golden
from xymac.host.network.network import Network
from xymac.host.network.session import Session

from .accumulate import SUMMING
from .elements import elements_of
from .operands import operands_of
from .operations import type_of
from .requantise import DTYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xymac.golden.result import Result

__all__ = ["Case"]


@dataclass(frozen=True, eq=False, repr=False)
class Case:
    """An operation, its constants and its inputs.

    Parameters
    ----------
    operation : str, such as "requantise", "conv2d" or "network"; see ``xymac.host.kit.operations``
    dialect : str, "mli-1", "mli-2", "xs3" or "tflm"
    name : str, case name
    layer : a golden Layer, a Requantise, an Accumulate, or for "network" a Network
    inputs : tuple of the library's golden Arrays; for "requantise", "accumulate" and "matmul" an
        int array, for "network" an array per input
    offset : int, added to every element, zero point and clip for the device: 128 for uint8
    base : int, an offset that a device adds and that these numbers do not show
    """

    operation: str
    dialect:   str
    name:      str
    layer:     Any
    inputs:    tuple
    offset:    int = 0
    base:      int = 0

    def __repr__(self) -> str:
        """Name, operation, dialect and type in a line, without constants and inputs."""
        return f"<Case {self.name}: {self.operation} {self.dialect} {self.type}>"

    @property
    def type(self) -> str | None:
        """Data type, as in ``xymac.host.kit.operations``."""
        return type_of(self)

    @property
    def operands(self) -> dict[str, Any]:
        """Operands for a device, a dict with new arrays and ints; see ``xymac.host.kit.operands``.
        """
        return {name: value.copy() if isinstance(value, np.ndarray) else value
                for name, value in operands_of(self).items()}

    @property
    def elements(self) -> Iterator[dict[str, int]]:
        """``operands`` for each output element in turn, an iterator of int dicts.

        For "requantise" an element has its channel's multiplier and shift. ValueError for
        operations whose output element needs more than a single element from each input.
        """
        return elements_of(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """The expected result's shape, a tuple of ints."""
        return self._blank().shape

    @property
    def dtype(self) -> np.dtype:
        """The expected result's numpy type."""
        return np.dtype(np.uint8) if self.offset else self._blank().dtype

    def moved(self, values: np.ndarray) -> np.ndarray:
        """Results of the layer as the device has them: with the offset, in its type."""
        return (values.astype(np.int64) + self.offset).astype(self.dtype) if self.offset else values

    def _blank(self):
        """An array with the result's shape and type."""
        if self.operation == "requantise":
            return np.empty(np.shape(self.inputs[0]), DTYPES[self.layer.bits])
        if self.operation in SUMMING:
            return np.empty((len(self.inputs[0]), len(self.layer.weights)), np.int32)
        if self.operation == "network":
            return self.layer.values[-1].data
        return self.layer.output_like(*self.inputs).data

    def expected(self) -> np.ndarray:
        """Golden result: a new array in the device result's type.

        For a network it is the last output.
        """
        return self.moved(self._golden.copy())

    def run_layer(self) -> Result:
        """Golden's Result of a layer, whose output is then the expected one without another run."""
        result = golden.run(self.layer, *self.inputs)
        self.__dict__["_golden"] = np.asarray(result.output.data)
        return result

    @cached_property
    def _golden(self):
        if self.operation == "requantise" or self.operation in SUMMING:
            return self.layer.run(*self.inputs)
        if isinstance(self.layer, Network):
            return Session(self.layer).run(*self.inputs).outputs[-1].data
        return np.asarray(golden.run(self.layer, *self.inputs).output.data)
