# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite squared differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.parameters.tflm.pairs import difference_multipliers, difference_shift
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.golden.tflm.checks import check_factors, check_zero
from xymac.golden.tflm.eltwise import NAMES, Binary
from xymac.golden.tflm.limits import store
from xymac.golden.tflm.tensor import Quantisation

if TYPE_CHECKING:
    from xymac.golden.tflm.tensor import Tensor

__all__ = ["SquaredDifference"]


@dataclass(frozen=True)
class SquaredDifference(Binary):
    """SQUARED_DIFFERENCE: squared difference of two elements, each scaled to half the larger
    scale.

    INT8, or INT16 with zero point 0.
    Source: tensorflow/lite/micro/kernels/squared_difference.cc, ``SquaredDifference``.

    Parameters
    ----------
    out : output Quantisation
    """

    out: Quantisation

    def factors(self, a: Tensor,
                b: Tensor) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """(multiplier, exponent) for the first input, the second input and the square."""
        return difference_multipliers(a.scaling.scale, b.scaling.scale, self.out.scale,
                                      a.bits)

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        super().check(a, b)
        for name, x in zip(NAMES, (a, b), strict=True):
            if not x.scaling.scale:
                raise ValueError(f"Scale of {name.lower()} must be more than 0, not 0.0")
        if a.bits == 16:
            for name, kind in (*zip(NAMES, (a.scaling, b.scaling), strict=True),
                               ("Output", self.out)):
                check_zero(f"{name} of INT16", kind)
        check_factors(self.factors(a, b)[2:], EXPONENT_MAX)

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``."""
        *each, last = self.factors(a, b)
        one, other  = (multiply_quantized(x.centred << difference_shift(x.bits), *factor)
                       for x, factor in zip((a, b), each, strict=True))
        values = multiply_quantized((one - other) ** 2, *last)  # at most 2**30
        return Result(store(a, values, self.out, Activation.NONE), overflow=False)
