# SPDX-License-Identifier: Apache-2.0
"""Base classes for the layers with weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xymac.golden.kinds import Relu, WorkUnit
from xymac.golden.layer import LayerBase
from xymac.golden.parameters import mli1 as parameters
from xymac.hdl.isa import RoundMode

from .checks import check_bias, check_rounding
from .tensor import Tensor, check_frac_bits

if TYPE_CHECKING:
    from xymac.hdl.isa import AccumulatorRange

__all__ = ["Linear", "Weighted"]


class Weighted(LayerBase):
    """Base for a layer with ``weights`` and ``out_frac_bits``; ``x`` is its input, a Tensor."""

    weights:       Tensor
    bias:          Tensor
    out_frac_bits: int
    rounding:      RoundMode
    work_unit = WorkUnit.PRODUCTS

    def acc_range(self, x: Tensor) -> AccumulatorRange:
        """The library's accumulator range: 40 bits for fx16, 32 for fx8 and fx8w16d."""
        return parameters.acc_range(self.weights.bits)

    def output_like(self, x: Tensor) -> Tensor:
        """Zeros in the output format: the ``x`` type with ``out_frac_bits``."""
        return Tensor.zeros(self.output_shape(x.shape), x.bits, self.out_frac_bits)

    def data_type(self, x: Tensor) -> str:
        """Input and weight types as the library's function names spell them."""
        return x.type_name if x.bits == self.weights.bits else "fx8w16d"


@dataclass(frozen=True)
class Linear(Weighted):
    """Base for a layer with weights and a bias that rounds each sum once."""

    weights:       Tensor
    bias:          Tensor
    out_frac_bits: int

    def bias_shift(self, x: Tensor) -> int:
        """Left shift that aligns the bias with the products, bits."""
        return parameters.bias_shift(x, self.weights, self.bias)

    def out_shift(self, x: Tensor) -> int:
        """Right shift from accumulator to output, bits; negative shifts left."""
        return parameters.out_shift(x, self.weights, self.out_frac_bits)

    def limits(self, x: Tensor) -> tuple[int, int]:
        """Lowest and highest output, inclusive."""
        return parameters.relu_limits(Relu.NONE, self.out_frac_bits, x.bits)

    def _check_bias(self, x):
        check_frac_bits("out_frac_bits", self.out_frac_bits)
        check_rounding(self.rounding)
        check_bias(x, self.weights, self.bias, self.weights.shape[:1])
