# SPDX-License-Identifier: Apache-2.0
"""float32 reductions and matrix products, as a host computes them, with sequential sums."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from enum import Enum
from math import prod

import numpy as np

from xymac.golden.checks import check_ints, check_kind, check_rank
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_flag, check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.moves.move import check_axis
from xymac.golden.tflm.tensor import Tensor

from .limits import limit_real

__all__ = ["PlainDense", "PlainMean", "PlainReduce", "PlainReduction"]


def _add_up(terms):
    """Sequential sums along a float32 array's last dimension; ``np.sum`` adds pairwise.

    As the library's, they begin with 0, so no sum is -0.0.
    """
    return np.add.accumulate(terms, axis=-1, dtype=np.float32)[..., -1] + np.float32(0)


class PlainReduction(Enum):
    """Reduction of dimensions; the value is the operator's name."""

    SUM        = "SUM"
    REDUCE_MAX = "REDUCE_MAX"
    REDUCE_MIN = "REDUCE_MIN"


@dataclass(frozen=True)
class _Reduction(TensorLayer):
    """Base for the operators that reduce dimensions, FLOAT32; the subclass has a method ``reduce``.
    """

    axes:      tuple[int, ...]
    keep_dims: bool = False

    out = None

    def dimensions(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """The dimensions, each once, from 0 on and in order."""
        return tuple(sorted({axis % len(x_shape) for axis in self.axes}))

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        gone = self.dimensions(x_shape)
        return tuple(1 if axis in gone else size for axis, size in enumerate(x_shape)
                     if self.keep_dims or axis not in gone)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, "FLOAT32")
        check_kind("axes", self.axes, tuple)
        check_ints("axes", self.axes)
        for axis in self.axes:
            check_axis(axis, x.data.ndim)
        check_flag("keep_dims", self.keep_dims)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        gone  = self.dimensions(x.shape)
        kept  = [axis for axis in range(x.data.ndim) if axis not in gone]
        terms = x.data.transpose(*kept, *gone).reshape(*(x.shape[axis] for axis in kept), -1)
        with np.errstate(all="ignore"):
            values = self.reduce(terms)
        return Result(Tensor(np.reshape(values, self.output_shape(x.shape))), overflow=False)

    @abstractmethod
    def reduce(self, terms: np.ndarray) -> np.ndarray:
        """Results along the last dimension."""


class PlainMean(_Reduction):
    """MEAN along dimensions, FLOAT32.

    Source: tensorflow/lite/kernels/internal/reference/reduce.h, ``Mean``.

    Parameters
    ----------
    axes : tuple of int, dimensions; negative values count from the end
    keep_dims : bool, whether the reduced dimensions stay with size 1
    """

    def reduce(self, terms: np.ndarray) -> np.ndarray:
        """Means along the last dimension."""
        return _add_up(terms) / np.float32(terms.shape[-1])


@dataclass(frozen=True)
class PlainReduce(_Reduction):
    """SUM, REDUCE_MAX or REDUCE_MIN along dimensions, FLOAT32.

    An extreme of NaN alone is the least or largest number, as in the library.
    Source: tensorflow/lite/micro/kernels/reduce_common.cc.

    Parameters as in ``PlainMean``.
    """

    op: PlainReduction = PlainReduction.SUM

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_kind("op", self.op, PlainReduction)
        super().check(x)

    def reduce(self, terms: np.ndarray) -> np.ndarray:
        """Sums or extremes along the last dimension."""
        if self.op == PlainReduction.SUM:
            return _add_up(terms)
        largest = self.op == PlainReduction.REDUCE_MAX
        limits  = np.finfo(np.float32)
        first   = limits.min if largest else limits.max
        known   = np.where(np.isnan(terms), first, terms)
        # The first of 0.0 and -0.0, which ``np.max`` does not tell apart.
        places  = (np.argmax if largest else np.argmin)(known, axis=-1)
        values  = np.take_along_axis(known, places[..., None], axis=-1)[..., 0]
        return np.where(values > first if largest else values < first, values, first)


@dataclass(frozen=True)
class PlainDense(TensorLayer):
    """FULLY_CONNECTED, FLOAT32.

    Source: tensorflow/lite/kernels/internal/reference/fully_connected.h.

    Parameters
    ----------
    weights : Tensor, shape (outputs, inputs)
    bias : Tensor, shape (outputs,), or None
    keep_num_dims : bool, whether the output keeps all input dimensions but the last; else it has 2
        dimensions
    """

    weights:       Tensor
    bias:          Tensor | None
    activation:    Activation = Activation.NONE
    keep_num_dims: bool = False

    work_unit = WorkUnit.PRODUCTS
    out       = None

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        outputs, inputs = self.weights.shape
        return (*x_shape[:-1], outputs) if self.keep_num_dims else (
            prod(x_shape) // inputs, outputs)

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Products."""
        return prod(x_shape) * self.weights.shape[0]

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, "FLOAT32")
        check_types("Weights", self.weights, "FLOAT32")
        check_rank("Weights", self.weights, 2)
        check_kind("activation", self.activation, Activation)
        check_flag("keep_num_dims", self.keep_num_dims)
        outputs, inputs = self.weights.shape
        if self.keep_num_dims and x.shape[-1:] != (inputs,):
            raise ValueError(f"Weights have {inputs} inputs, the last dimension of the input is "
                             f"{x.shape[-1] if x.shape else 'none'}")
        if x.data.size % inputs:
            raise ValueError(f"Elements of the input must be a multiple of the {inputs} inputs of "
                             f"the weights, not {x.data.size}")
        if self.bias is not None:
            check_types("Bias", self.bias, "FLOAT32")
            if self.bias.shape != (outputs,):
                raise ValueError(f"Bias must have shape {(outputs,)}, one value per output, "
                                 f"not {self.bias.shape}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        rows = x.data.reshape(-1, 1, self.weights.shape[1])
        with np.errstate(all="ignore"):
            sums = _add_up(rows * self.weights.data)
            if self.bias is not None:
                sums = sums + self.bias.data
        values = limit_real(sums, self.activation).reshape(self.output_shape(x.shape))
        return Result(Tensor(np.asarray(values, np.float32)), overflow=False)
