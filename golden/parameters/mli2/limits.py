# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 ReLU limits in the output format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.fixed import container
from xymac.golden.formats import Affine, as_fixed
from xymac.golden.kinds import Relu

if TYPE_CHECKING:
    from xymac.golden.formats import Format
    pass

__all__ = ["relu_limits"]

_SIX_MAX = 28  #: Fractional bits from which 6 exceeds 31 bits in the library,
_ONE_MAX = 30  #: and from which 1 does.


def _units(value, frac_bits, largest, scale, bits):
    """``value`` in output units, relative to the zero point."""
    if frac_bits < 0:
        return (value >> -frac_bits) // scale
    return (value << frac_bits) // scale if frac_bits < largest else container(bits)[1]


def relu_limits(relu: Relu, out: Format, bits: int) -> tuple[int, int]:
    """Lowest and highest ``bits``-bit output in the format ``out``.

    Source: embARC MLI 2.0, private/mli_prv_tensor.h, ``mli_prv_get_relu_limits``.
    """
    low, high = container(bits)
    if isinstance(out, Affine):
        zero, scale, frac_bits = out.zero_points[0], out.scales[0], out.fractions[0]
    else:
        zero, scale, frac_bits = 0, 1, as_fixed(out).frac_bits
    if relu is Relu.NONE:
        return low, high
    if relu is Relu.GEN:
        return max(zero, low), high
    if relu is Relu.RELU6:
        six = _units(6, frac_bits, _SIX_MAX, scale, bits)
        return max(zero, low), min(zero + six, high)
    one = _units(1, frac_bits, _ONE_MAX, scale, bits)
    return max(zero - one, low), min(zero + one, high)
