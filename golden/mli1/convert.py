# SPDX-License-Identifier: Apache-2.0
"""Tensor conversion to another format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_ints
from xymac.golden.fixed import container
from xymac.golden.layer import LayerBase, run
from xymac.golden.result import Result
from xymac.hdl.isa import RoundMode

from .arithmetic import shift_round
from .checks import check_input, check_rounding
from .tensor import Tensor, check_frac_bits

__all__ = ["ConvertTensor", "convert_tensor"]

_DTYPES = {8: np.int8, 16: np.int16}


@dataclass(frozen=True)
class ConvertTensor(LayerBase):
    """Convert elements to another width and other fractional bits.

    Parameters
    ----------
    bits : int, 8 or 16, output element width
    frac_bits : int, 0 .. 255, fractional bits of the output
    """

    bits:      int
    frac_bits: int
    rounding:  RoundMode = RoundMode.CONVERGENT

    def output_like(self, x: Tensor) -> Tensor:
        """Zeros in the output format."""
        return Tensor.zeros(x.shape, self.bits, self.frac_bits)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the helper can process the Tensor ``x``."""
        check_input("Input", x)
        check_frac_bits("frac_bits", self.frac_bits)
        check_rounding(self.rounding)
        check_ints("bits", (self.bits,), 1)
        if self.bits not in _DTYPES:
            raise ValueError(f"bits must be 8 or 16, not {self.bits!r}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``convert_tensor``."""
        values = shift_round(x.data.astype(np.int64), x.frac_bits - self.frac_bits, self.rounding,
                             container(self.bits))
        data = np.asarray(values).astype(_DTYPES[self.bits])
        return Result(Tensor(data, self.frac_bits), overflow=False)


def convert_tensor(x: Tensor, bits: int, frac_bits: int, *,
                   rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """Convert elements to another width and fractional bits; the values are rounded and saturated.

    Parameters
    ----------
    x : Tensor of any shape
    bits, frac_bits, rounding : see ``ConvertTensor``; the library rounds as the previous kernel did

    Returns a Result; its output has the shape of ``x``. ValueError or TypeError if
    ``ConvertTensor.check`` refuses the call.
    Source: embARC MLI 1.1, helpers/src/mli_helpers.cc, ``mli_hlp_convert_tensor``.
    """
    return run(ConvertTensor(bits, frac_bits, rounding), x)
