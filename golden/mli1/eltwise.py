# SPDX-License-Identifier: Apache-2.0
"""Element-wise kernels on two tensors."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.fixed import container, saturate
from xymac.golden.kinds import EltwiseOp
from xymac.golden.layer import LayerBase, run
from xymac.golden.result import Result
from xymac.hdl.isa import RoundMode

from .arithmetic import shift_round
from .checks import check_input, check_rounding
from .tensor import Tensor, check_frac_bits

__all__ = ["Eltwise", "eltwise"]


_FUNCTIONS = {EltwiseOp.ADD: np.add, EltwiseOp.SUB: np.subtract, EltwiseOp.MIN: np.minimum,
              EltwiseOp.MAX: np.maximum, EltwiseOp.MUL: np.multiply}


@dataclass(frozen=True)
class Eltwise(LayerBase):
    """Element-wise operation on two tensors ``a`` and ``b``.

    Parameters
    ----------
    op : EltwiseOp
    out_frac_bits : int, 0 .. 255, only for MUL; None for the fractional bits of ``a``
    same_frac : bool, whether operations other than MUL refuse inputs with different fractional
        bits, as the documentation requires; the library's code combines the integers unaligned
    rounding : RoundMode for MUL
    """

    op:            EltwiseOp
    out_frac_bits: int | None = None
    same_frac:     bool = True
    rounding:      RoundMode = RoundMode.CONVERGENT

    inputs = 2

    def output_shape(self, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape: the larger input's, or the second input's if the sizes are equal."""
        return tuple(a_shape if prod(a_shape) > prod(b_shape) else b_shape)

    def output_frac_bits(self, a: Tensor) -> int:
        """Fractional bits of the output for a first input ``a``."""
        return a.frac_bits if self.out_frac_bits is None else self.out_frac_bits

    def output_like(self, a: Tensor, b: Tensor) -> Tensor:
        """Zeros in the output format."""
        shape = self.output_shape(a.shape, b.shape)
        return Tensor.zeros(shape, a.bits, self.output_frac_bits(a))

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensors."""
        check_kind("op", self.op, EltwiseOp)
        check_kind("same_frac", self.same_frac, bool)
        check_rounding(self.rounding)
        check_input("First input", a)
        check_input("Second input", b)
        if a.bits != b.bits:
            raise ValueError(f"First input has {a.bits} bits, second input has {b.bits}")
        if a.shape != b.shape and 1 not in (a.data.size, b.data.size):
            raise ValueError(f"First input has shape {a.shape}, second input has {b.shape}")
        self._check_frac_bits(a, b)

    def _check_frac_bits(self, a, b):
        if self.op is EltwiseOp.MUL:
            if self.out_frac_bits is not None:
                check_frac_bits("out_frac_bits", self.out_frac_bits)
            return
        if self.out_frac_bits is not None:
            raise ValueError(f"out_frac_bits must be None for {self.op.name}, which takes those of "
                             f"the first input, not {self.out_frac_bits!r}")
        if self.same_frac and a.frac_bits != b.frac_bits:
            raise ValueError(f"First input has {a.frac_bits} fractional bits, second input has "
                             f"{b.frac_bits}")

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``; see ``eltwise``."""
        out_frac = self.output_frac_bits(a)
        values   = _FUNCTIONS[self.op](a.data.reshape(-1).astype(np.int64),
                                        b.data.reshape(-1).astype(np.int64))
        if self.op is EltwiseOp.MUL:
            values = shift_round(values, a.frac_bits + b.frac_bits - out_frac, self.rounding,
                                 container(a.bits))
        values = saturate(values, a.bits).reshape(self.output_shape(a.shape, b.shape))
        return Result(Tensor(values.astype(a.data.dtype), out_frac), overflow=False)


def eltwise(a: Tensor, b: Tensor, op: EltwiseOp, *, out_frac_bits: int | None = None,
            same_frac: bool = True, rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """Element-wise operation on two tensors, fx8 or fx16, saturated.

    Parameters
    ----------
    a, b : Tensors of equal type and shape; either can be a single element instead
    op, out_frac_bits, same_frac, rounding : see ``Eltwise``

    Returns a Result; its output has the dtype of ``a``. ValueError or TypeError if
    ``Eltwise.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/eltwise, ``mli_krn_eltwise_*``.
    """
    return run(Eltwise(op, out_frac_bits, same_frac, rounding), a, b)
