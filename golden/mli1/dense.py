# SPDX-License-Identifier: Apache-2.0
"""Fully connected kernel."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xymac.golden.checks import check_rank
from xymac.golden.fixed import matmul
from xymac.golden.layer import run
from xymac.hdl.isa import RoundMode

from .arithmetic import align_bias, finish
from .checks import check_types
from .linear import Linear

if TYPE_CHECKING:
    from xymac.golden.result import Result

    from .tensor import Tensor

__all__ = ["FullyConnected", "fully_connected"]


@dataclass(frozen=True)
class FullyConnected(Linear):
    """Product of a matrix and the flattened input.

    Parameters
    ----------
    weights : Tensor, shape (outputs, inputs)
    bias : Tensor, shape (outputs,)
    out_frac_bits : int, 0 .. 255
    """

    rounding: RoundMode = RoundMode.CONVERGENT

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape; it does not depend on the input shape."""
        return self.weights.shape[:1]

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Product count, one per weight."""
        return prod(self.weights.shape)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_types(x, self.weights, self.bias)
        check_rank("Weights", self.weights, 2)
        if self.weights.shape[1] != x.data.size:
            raise ValueError(f"Weights have {self.weights.shape[1]} inputs, input has "
                             f"{x.data.size} elements")
        self._check_bias(x)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``fully_connected``."""
        sums = matmul(self.weights.data, x.data.reshape(-1))
        return finish(self, x, sums + align_bias(self.bias, self.bias_shift(x)))


def fully_connected(x: Tensor, weights: Tensor, bias: Tensor, *, out_frac_bits: int,
                    rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """Matrix-vector product with the flattened input, fx8, fx16 or fx8w16d.

    Parameters
    ----------
    x : Tensor of any shape
    weights, bias, out_frac_bits, rounding : see ``FullyConnected``

    Returns a Result; its output has the shape (outputs,) and the dtype of ``x``. ValueError or
    TypeError if ``FullyConnected.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/common, ``mli_krn_fully_connected_*``.
    """
    return run(FullyConnected(weights, bias, out_frac_bits, rounding), x)
