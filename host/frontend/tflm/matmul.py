# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite BATCH_MATMUL."""

from xymac.golden.parameters.tflm.multiplier import reduce_multiplier
from xymac.golden.tflm import BatchMatmul
from xymac.hdl.isa import ACC_BITS, AccumulatorRange, RoundMode, Scale
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.frontend.tflm.functions.elementwise import peak_of
from xymac.host.frontend.tflm.functions.slopes import check_factor
from xymac.host.ir.contraction import MatrixProduct
from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import rescale_fields, rescale_records
from xymac.host.ir.sums import check_largest, first_record

__all__ = ["FORMS"]


def form_of(layer, a, b):
    """The ``MatrixProduct`` for a BATCH_MATMUL on Tensors like ``a`` and ``b``."""
    scaling = _long_scaling if a.bits == 16 else _short_scaling
    records, output = scaling(layer, a, b, layer.turned(a.shape, b.shape)[0][-1])
    return MatrixProduct((layer.adj_x, layer.adj_y), b.quantisation.zero_point, records, output)


def _short_scaling(layer, a, b, depth):
    """Records and pass fields for 32-bit sums, which are rounded twice."""
    factor = layer.factor(a, b)
    peak   = depth * peak_of(a) * peak_of(b)
    check_largest(peak, (1 << 31) - 1)
    check_factor(peak, factor[1])
    fields = {**rescale_fields(layer.out.zero_point, container_clip(8)),
              "x_zero": a.quantisation.zero_point}
    return rescale_records(*factor), fields


def _long_scaling(layer, a, b, depth):
    """Records and pass fields for 64-bit sums, which are rounded once.

    If a sum exceeds 32 bits, the output must be at its limit.
    """
    multiplier, exponent = layer.factor(a, b)
    short, shift = reduce_multiplier(multiplier), 15 - exponent
    peak  = depth << 30
    limits = container_clip(16)
    if peak >> ACC_BITS - 1:
        raise Refusal(RefusalKind.VALUE, f"Sums of 64 bits must stay within {ACC_BITS} bits, not "
                      f"be from {-peak} to {peak}")
    ends = [sign * short + (1 << shift - 1) >> shift for sign in (-(1 << 31), (1 << 31) - 1)]
    if peak >> 31 and not (ends[0] <= limits[0] and ends[1] >= limits[1]):
        raise Refusal(RefusalKind.VALUE, "Sums of 64 bits must stay within 32 where the output "
                      f"shows more, not be from {-peak} to {peak}")
    return (int(first_record(short, 0, shift)),), {
        "scale": Scale.BITS32, "rounding": RoundMode.UP, "clip": limits,
        "acc_range": AccumulatorRange.BITS40}


FORMS = {BatchMatmul: form_of}
