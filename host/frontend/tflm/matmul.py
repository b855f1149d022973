# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite products of two tensors: BATCH_MATMUL, and FULLY_CONNECTED with computed weights.
"""

import numpy as np

from xymac.golden.parameters.tflm.multiplier import reduce_multiplier
from xymac.golden.parameters.tflm.ranges import activation_range
from xymac.golden.tflm import BatchMatmul, DensePair
from xymac.hdl.isa import ACC_BITS, AccumulatorRange, RoundMode
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.frontend.tflm.functions.elementwise import peak_of
from xymac.host.frontend.tflm.functions.slopes import check_factor
from xymac.host.ir.contraction import MatrixProduct
from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import rescale, rescale_fields, rescale_records
from xymac.host.ir.sums import check_largest, first_record

__all__ = ["FORMS"]


def form_of(layer, a, b):
    """The ``MatrixProduct`` for a BATCH_MATMUL on Tensors like ``a`` and ``b``."""
    scaling = _long_scaling if a.bits == 16 else _short_scaling
    peak    = layer.turned(a.shape, b.shape)[0][-1] * peak_of(a) * peak_of(b)
    records, output = scaling(layer.factor(a, b), peak, a, layer.out.zero_point,
                              container_clip(a.bits))
    return MatrixProduct((layer.adj_x, layer.adj_y), b.quantisation.zero_point, records, output)


def form_of_dense(layer, x, weights):
    """The ``MatrixProduct`` for a FULLY_CONNECTED on Tensors like ``x`` and ``weights``."""
    shape = layer.output_shape(x.shape, weights.shape)
    if len(shape) < 2 or shape[:-1] != x.shape[:-1]:
        raise Refusal(RefusalKind.SHAPE, "A product with computed weights must keep all of 2 or "
                      f"more input dimensions but the last, not make {shape} from {x.shape}")
    if x.bits == 16 and x.quantisation.zero_point:
        raise Refusal(RefusalKind.VALUE, "INT16 input of computed weights must have zero point 0, "
                      f"not {x.quantisation.zero_point}")
    dense = layer.with_weights(weights)
    bias  = None if layer.bias is None else layer.bias.data.astype(np.int64)
    peak  = weights.shape[1] * peak_of(x) * peak_of(weights)
    peak += 0 if bias is None else max(map(abs, bias.tolist()))
    scaling = _long_scaling if dense.is_long(x) else _short_scaling
    records, output = scaling(
        dense.factors(x)[0], peak, x, layer.out.zero_point,
        activation_range(layer.activation, layer.out.scale, layer.out.zero_point, x.bits))
    return MatrixProduct((False, True), weights.quantisation.zero_point, records, output, bias)


def _short_scaling(factor, peak, x, zero, limits):
    """Records and pass fields for 32-bit sums up to ``peak``, which are rounded twice.

    Parameters
    ----------
    factor : multiplier and exponent
    x : Tensor, first input
    zero : int, the output's zero point
    limits : lowest and highest output
    """
    check_largest(peak, (1 << 31) - 1)
    check_factor(peak, factor[1])
    _check_scaled(rescale(peak, *factor), zero)
    fields = rescale_fields(zero, limits)
    if x.bits == 8:
        fields["x_zero"] = x.quantisation.zero_point
    return rescale_records(*factor), fields


def _long_scaling(factor, peak, x, zero, limits):
    """Records and pass fields for 64-bit sums, which are rounded once; see ``_short_scaling``.

    If a sum exceeds 32 bits, the output must be at its limit.
    """
    multiplier, exponent = factor
    short, shift = reduce_multiplier(multiplier), 15 - exponent
    if peak >> ACC_BITS - 1:
        raise Refusal(RefusalKind.VALUE, f"Sums of 64 bits must stay within {ACC_BITS} bits, not "
                      f"be from {-peak} to {peak}")
    _check_scaled(peak * short + (1 << shift - 1) >> shift, zero)
    ends = [(sign * short + (1 << shift - 1) >> shift) + zero
            for sign in (-(1 << 31), (1 << 31) - 1)]
    if peak >> 31 and not (ends[0] <= limits[0] and ends[1] >= limits[1]):
        raise Refusal(RefusalKind.VALUE, "Sums of 64 bits must stay within 32 where the output "
                      f"shows more, not be from {-peak} to {peak}")
    return (int(first_record(short, 0, shift)),), {
        **rescale_fields(zero, limits), "rounding": RoundMode.UP,
        "acc_range": AccumulatorRange.BITS40}


def _check_scaled(value, zero):
    """Raise Refusal where the library wraps a sum scaled to ``value`` or ``-value``, plus
    ``zero``.
    """
    largest = value + abs(zero)
    if largest >> 31:
        raise Refusal(RefusalKind.VALUE, "Scaled sums and the zero point must stay within 32 bits "
                      f"together, not be up to {largest}")


FORMS = {BatchMatmul: form_of, DensePair: form_of_dense}
