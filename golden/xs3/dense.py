# SPDX-License-Identifier: Apache-2.0
"""XS3 library fully connected kernels."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.golden.checks import check_ints, check_kind
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.xs3 import BLOCK
from xymac.golden.result import Result

from .bso import BsoOutput, check_low
from .instructions import LANES, check_shifts, vdepth8, vlmul, vlsat
from .integers import Integers, check_count, check_integers
from .layer import IntegerLayer
from .sums import accumulate, block_sums, blocks

__all__ = ["FcDeepin", "FullyConnected"]

_DTYPES = {8: np.int8, 16: np.int16}


def _check_vectors(layer, x):
    """Raise unless a layer's input and weights fit and ``out_bits`` is 8 or 16."""
    check_integers("Input", x, (np.int8,), 1)
    check_integers("Weights", layer.weights, (np.int8,), 2)
    check_count("Weights", layer.weights.shape[1], "input", x.shape[0])
    check_ints("out_bits", (layer.out_bits,), 1)
    if layer.out_bits not in _DTYPES:
        raise ValueError(f"out_bits must be 8 or 16, not {layer.out_bits!r}")


class _Matrix(IntegerLayer):
    """Base for both kernels, with ``weights`` shape (outputs, inputs) and ``out_bits``."""

    weights:  Integers
    out_bits: int

    work_unit = WorkUnit.PRODUCTS

    @property
    def output_dtype(self) -> type[np.generic]:
        """Numpy output type."""
        return _DTYPES[self.out_bits]

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape; it does not depend on the input shape."""
        return self.weights.shape[:1]

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Product count, one per weight."""
        return prod(self.weights.shape)


@dataclass(frozen=True)
class FullyConnected(_Matrix):
    """Matrix-vector product: ``fully_connected_16`` and ``fully_connected_8``.

    Inputs are added in blocks of 32; the first block is short if the inputs are no multiple of 32.
    The library's assembly requires a multiple of 4 inputs, its C any count.

    Parameters
    ----------
    weights : Integers, int8, shape (outputs, inputs)
    bso : Integers, shape (blocks of 16 outputs, 7, 16), see ``BsoOutput.read``
    out_bits : int, 8 or 16, output width
    low : int, -128 or -127, the lowest 8-bit output
    final_shift : bool, whether 8-bit outputs are rounded twice, see ``BsoOutput.to8``

    Source: lib_nn 96bd67c, src/c/fully_connected.c and asm/fully_connected_8.S.
    """

    weights:     Integers
    bso:         Integers
    out_bits:    int = 8
    low:         int = -128
    final_shift: bool = False

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        _check_vectors(self, x)
        check_low(self.low)
        check_kind("final_shift", self.final_shift, bool)
        BsoOutput.read(self.bso, self.weights.shape[0])

    def run(self, x: Integers) -> Result:
        """Result on the Integers ``x``, int8, shape (inputs,)."""
        output  = BsoOutput.read(self.bso, self.weights.shape[0])
        sums    = block_sums(blocks(x.data[np.newaxis], front=True),
                             blocks(self.weights.data, front=True))
        [acc]   = accumulate(output.bias, sums)
        values  = (output.to16(acc) if self.out_bits == 16
                   else output.to8(acc, self.low, self.final_shift))
        return Result(Integers(values), overflow=False)


@dataclass(frozen=True)
class FcDeepin(_Matrix):
    """Matrix-vector product: ``fc_deepin_shallowout_16`` and ``fc_deepin_shallowout_8``.

    Inputs are added in order in blocks of 32, as in the library's C. Its assembly adds 16 partial
    sums per output at the end; results differ only if sums saturate.

    Parameters
    ----------
    weights : Integers, int8, shape (outputs, inputs): at most 16 outputs, a multiple of 32 inputs
    bias : Integers, int32, shape (outputs,)
    shifts : Integers, uint16 or int16, at least (outputs,): bits, 0 .. 31, see ``check_shifts``;
        further elements are ignored
    scales : Integers, int16, at least (outputs,), 14 fractional bits
    out_bits : int, 8 or 16, output width; 8-bit outputs lie between -127 and 127

    Source: lib_nn 96bd67c, src/c/fully_connected.c.
    """

    weights:  Integers
    bias:     Integers
    shifts:   Integers
    scales:   Integers
    out_bits: int = 8

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        _check_vectors(self, x)
        outputs, inputs = self.weights.shape
        if inputs % BLOCK:
            raise ValueError(f"Inputs must be a multiple of {BLOCK}, not {inputs}")
        if outputs > LANES:
            raise ValueError(f"Outputs must be at most {LANES}, not {outputs}")
        check_integers("Bias", self.bias, (np.int32,), 1)
        check_integers("Shifts", self.shifts, (np.uint16, np.int16), 1)
        check_integers("Scales", self.scales, (np.int16,), 1)
        check_count("Weights", outputs, "bias", self.bias.shape[0])
        for name, vector in (("Shifts", self.shifts), ("Scales", self.scales)):
            if vector.shape[0] < outputs:
                raise ValueError(f"{name} must have at least {outputs} elements, one an output, "
                                 f"not {vector.shape[0]}")
        check_shifts("Shift", self.shifts.data[:outputs].astype(np.int16).tolist())

    def run(self, x: Integers) -> Result:
        """Result on the Integers ``x``, int8, shape (inputs,).

        ``vlmul(vlsat(acc, shifts), scales)`` in mode 16; 8 bits are its ``vdepth8``.
        """
        outputs = self.weights.shape[0]
        sums    = block_sums(blocks(x.data[np.newaxis]), blocks(self.weights.data))
        [acc]   = accumulate(self.bias.data, sums)
        values  = vlmul(vlsat(acc, self.shifts.data[:outputs], 16), self.scales.data[:outputs], 16)
        values  = values if self.out_bits == 16 else vdepth8(values, 16)
        return Result(Integers(values.astype(_DTYPES[self.out_bits])), overflow=False)
