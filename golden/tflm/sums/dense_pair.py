# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite fully connected operator with computed weights."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xymac.golden.checks import check_rank
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.tflm.checks import check_scaled, check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.plain.sums import PlainDense
from xymac.golden.tflm.tensor import Quantisation, Tensor

from .dense import FullyConnected

if TYPE_CHECKING:
    from xymac.golden.result import Result

__all__ = ["DensePair", "PlainDensePair"]


class _DensePair(TensorLayer):
    """A fully connected layer whose second input, shape (outputs, inputs), holds the weights."""

    keep_num_dims: bool

    inputs    = 2
    work_unit = WorkUnit.PRODUCTS

    @abstractmethod
    def with_weights(self, weights: Tensor) -> FullyConnected | PlainDense:
        """The layer with constant ``weights``."""

    def output_shape(self, x_shape: tuple[int, ...],
                     weights_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the shapes of both inputs."""
        outputs, inputs = weights_shape
        if self.keep_num_dims:
            return (*x_shape[:-1], outputs)
        return prod(x_shape) // inputs, outputs

    def work(self, x_shape: tuple[int, ...], weights_shape: tuple[int, ...]) -> int:
        """Products."""
        return prod(x_shape) * weights_shape[0]

    def run(self, x: Tensor, weights: Tensor) -> Result:
        """Result on the Tensor ``x`` and the Tensor ``weights``."""
        return self.with_weights(weights).run(x)


@dataclass(frozen=True)
class DensePair(_DensePair):
    """FULLY_CONNECTED with computed weights: INT8, or INT16 with INT8 weights.

    Weights have a single scale; all else is as in ``FullyConnected``.

    Parameters
    ----------
    bias : Tensor, shape (outputs,), INT32, for INT16 also INT64; or None
    out : output Quantisation
    activation, keep_num_dims, short_sums : as in ``FullyConnected``
    """

    bias:          Tensor | None
    out:           Quantisation
    activation:    Activation = Activation.NONE
    keep_num_dims: bool = False
    short_sums:    bool = False

    def with_weights(self, weights: Tensor) -> FullyConnected:
        """The layer with constant ``weights``."""
        return FullyConnected(weights, self.bias, self.out, self.activation, self.keep_num_dims,
                              self.short_sums)

    def check(self, x: Tensor, weights: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process both Tensors."""
        check_scaled("Weights", weights, "INT8")
        self.with_weights(weights).check(x)


@dataclass(frozen=True)
class PlainDensePair(_DensePair):
    """FULLY_CONNECTED with computed weights, FLOAT32.

    Parameters
    ----------
    bias : Tensor, shape (outputs,), or None
    activation, keep_num_dims : as in ``PlainDense``
    """

    bias:          Tensor | None
    activation:    Activation = Activation.NONE
    keep_num_dims: bool = False

    out = None

    def with_weights(self, weights: Tensor) -> PlainDense:
        """The layer with constant ``weights``."""
        return PlainDense(weights, self.bias, self.activation, self.keep_num_dims)

    def check(self, x: Tensor, weights: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process both Tensors."""
        check_types("Weights", weights, "FLOAT32")
        check_rank("Weights", weights, 2)
        self.with_weights(weights).check(x)
