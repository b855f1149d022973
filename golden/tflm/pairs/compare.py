# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite comparisons, element by element."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from xymac.golden.parameters.tflm.multiplier import quantize_multiplier
from xymac.golden.parameters.tflm.pairs import COMPARE_SHIFT
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.eltwise import NAMES, Binary
from xymac.golden.tflm.tensor import Tensor

__all__ = ["Equal", "Greater", "GreaterEqual", "Less", "LessEqual", "NotEqual"]


class _Comparison(Binary):
    """Base for comparing two elements; the subclass sets ``_compare``. The output is BOOL."""

    out = None  # pyright: ignore[reportAssignmentType]  # of BOOL
    _compare: ClassVar[Callable[..., np.ndarray]]

    def output_dtype(self, *x: Tensor) -> np.dtype:
        """Numpy output type."""
        return np.dtype(bool)

    def factors(self, a: Tensor, b: Tensor) -> tuple[tuple[int, ...], ...]:
        """Multiplier and exponent for both inputs, two pairs."""
        return tuple(quantize_multiplier(x.scaling.scale) for x in (a, b))

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        for name, x in zip(NAMES, (a, b), strict=True):
            check_types(name, x, "INT8")
        self.check_pair(a, b)
        for name, x in zip(NAMES, (a, b), strict=True):
            if not 0 < x.scaling.scale < 1:
                raise ValueError(f"Scale of {name.lower()} must be more than 0 and less than 1, "
                                 f"not {x.scaling.scale:g}")

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``."""
        scaled = (multiply_quantized(x.centred << COMPARE_SHIFT, *factor)
                  for x, factor in zip((a, b), self.factors(a, b), strict=True))
        return Result(Tensor(np.asarray(self._compare(*scaled))), overflow=False)


@dataclass(frozen=True)
class Equal(_Comparison):
    """EQUAL: whether two elements are equal, INT8."""

    _compare = staticmethod(np.equal)


@dataclass(frozen=True)
class NotEqual(_Comparison):
    """NOT_EQUAL: whether two elements differ, INT8."""

    _compare = staticmethod(np.not_equal)


@dataclass(frozen=True)
class Greater(_Comparison):
    """GREATER: whether the first element is larger, INT8."""

    _compare = staticmethod(np.greater)


@dataclass(frozen=True)
class GreaterEqual(_Comparison):
    """GREATER_EQUAL: whether the first element is at least the second, INT8."""

    _compare = staticmethod(np.greater_equal)


@dataclass(frozen=True)
class Less(_Comparison):
    """LESS: whether the first element is smaller, INT8."""

    _compare = staticmethod(np.less)


@dataclass(frozen=True)
class LessEqual(_Comparison):
    """LESS_EQUAL: whether the first element is at most the second, INT8."""

    _compare = staticmethod(np.less_equal)
