# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators that reduce dimensions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from xymac.golden.checks import check_ints, check_kind
from xymac.golden.fixed import in_range, wrap
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.tflm.mean import mean_multiplier
from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.parameters.tflm.rescale import rescale_multiplier
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.golden.tflm.checks import check_factors, check_flag, check_out, check_types, check_whole
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.limits import store
from xymac.golden.tflm.tensor import Quantisation, Tensor

__all__ = ["Mean", "ReduceAll", "ReduceMax", "ReduceMin", "Sum"]


class _Reduction(TensorLayer):
    """Base for the operators that reduce dimensions to one element each."""

    axes:      tuple[int, ...]
    keep_dims: bool
    work_unit = WorkUnit.LANES

    def dimensions(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """The dimensions, each once, from 0 on and in order."""
        return tuple(sorted({axis % len(x_shape) for axis in self.axes}))

    def count(self, x_shape: tuple[int, ...]) -> int:
        """Input elements per output element."""
        return prod(x_shape[axis] for axis in self.dimensions(x_shape))

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        gone = self.dimensions(x_shape)
        return tuple(1 if axis in gone else size for axis, size in enumerate(x_shape)
                     if self.keep_dims or axis not in gone)

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Input element count."""
        return prod(x_shape)

    def check_axes(self, x: Tensor, *types: str) -> None:
        """Raise unless ``types`` contains the ``x`` type, and axes and output are valid."""
        check_types("Input", x, *types)
        if "BOOL" not in types:
            check_whole("Input", x)
            check_out(self.out, x.data.dtype)
        check_kind("axes", self.axes, tuple)
        check_ints("axes", self.axes)
        rank = x.data.ndim
        for axis in self.axes:
            if not -rank <= axis < rank:
                raise ValueError(f"axes must be between {-rank} and {rank - 1}, not {axis}")
        check_flag("keep_dims", self.keep_dims)


class _Sum(_Reduction):
    """Base for sums along dimensions: 32-bit sums times the subclass's ``factor``."""

    out: Quantisation

    @abstractmethod
    def factor(self, x: np.ndarray | Tensor) -> tuple[int, ...]:
        """Multiplier and exponent from a sum to the output."""

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        self.check_axes(x, "INT8", "INT16")
        check_factors([self.factor(x)], EXPONENT_MAX)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        sums    = x.data.astype(np.int64).sum(axis=self.dimensions(x.shape),
                                              keepdims=self.keep_dims)
        centred = wrap(sums - self.count(x.shape) * x.scaling.zero_point, 32)
        values  = multiply_quantized(centred, *self.factor(x))
        return Result(store(x, values, self.out, Activation.NONE),
                      not in_range(sums, 32))


@dataclass(frozen=True)
class Mean(_Sum):
    """MEAN: mean along dimensions, INT8 or INT16, in the output scale. Sums have 32 bits.

    Source: tensorflow/lite/micro/kernels/reduce_common.cc;
    tensorflow/lite/kernels/internal/reference/reduce.h, ``QuantizedMeanOrSum``.

    Parameters
    ----------
    axes : tuple of int, dimensions; negative values count from the end, duplicates are allowed
    out : output Quantisation
    keep_dims : bool, whether the reduced dimensions stay with size 1
    """

    axes:      tuple[float, ...]
    out:       Quantisation
    keep_dims: bool = False

    def factor(self, x: Tensor) -> tuple[int, int]:
        """Multiplier and exponent from a sum to the output."""
        return mean_multiplier(x.scaling.scale, self.out.scale, self.count(x.shape))


@dataclass(frozen=True)
class Sum(_Sum):
    """SUM: sum along dimensions, INT8 or INT16, in the output scale. Sums have 32 bits.

    Source: tensorflow/lite/micro/kernels/reduce_common.cc;
    tensorflow/lite/kernels/internal/reference/reduce.h, ``QuantizedMeanOrSum``.

    Parameters as in ``Mean``.
    """

    axes:      tuple[int, ...]
    out:       Quantisation
    keep_dims: bool = False

    def factor(self, x: Tensor) -> tuple[int, int]:
        """Multiplier and exponent from a sum to the output."""
        return rescale_multiplier(x.scaling.scale, self.out.scale)


class _Extreme(_Reduction):
    """Base for the extreme element along dimensions; the subclass sets ``_find``."""

    out:   Quantisation
    _find: ClassVar[Callable[..., np.ndarray]]

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        self.check_axes(x, "INT8", "INT16")
        if x.quantisation != self.out:
            raise ValueError(f"out must have the scale and zero point of the input, "
                             f"{x.quantisation}, not {self.out}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        values = self._find(x.data, axis=self.dimensions(x.shape), keepdims=self.keep_dims)
        return Result(Tensor(np.asarray(values), self.out), overflow=False)


@dataclass(frozen=True)
class ReduceMax(_Extreme):
    """REDUCE_MAX: the largest element along dimensions, INT8 or INT16.

    Source: tensorflow/lite/micro/kernels/reduce_common.cc, ``EvalMaxHelper``; for INT16
    tensorflow/lite/kernels/reduce.cc.

    Parameters
    ----------
    axes : tuple of int, dimensions; negative values count from the end, duplicates are allowed
    out : Quantisation, equal to the input's
    keep_dims : bool, whether the reduced dimensions stay with size 1
    """

    axes:      tuple[int, ...]
    out:       Quantisation
    keep_dims: bool = False

    _find = staticmethod(np.max)


@dataclass(frozen=True)
class ReduceMin(_Extreme):
    """REDUCE_MIN: the smallest element along dimensions, INT8 or INT16.

    Source: tensorflow/lite/micro/kernels/reduce_common.cc, ``EvalMinHelper``.

    Parameters as in ``ReduceMax``.
    """

    axes:      tuple[int, ...]
    out:       Quantisation
    keep_dims: bool = False

    _find = staticmethod(np.min)


@dataclass(frozen=True)
class ReduceAll(_Reduction):
    """REDUCE_ALL: whether all elements along dimensions are true, BOOL.

    Source: tensorflow/lite/micro/kernels/reduce_common.cc.

    Parameters
    ----------
    axes : tuple of int, dimensions; negative values count from the end, duplicates are allowed
    keep_dims : bool, whether the reduced dimensions stay with size 1
    """

    axes:      tuple[int, ...]
    keep_dims: bool = False

    out = None

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        self.check_axes(x, "BOOL")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        values = np.all(x.data, axis=self.dimensions(x.shape), keepdims=self.keep_dims)
        return Result(Tensor(np.asarray(values)), overflow=False)
