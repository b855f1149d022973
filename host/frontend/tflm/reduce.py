# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite means, sums and extremes along dimensions."""

from xymac.golden.tflm import ArgMax, ArgMin, Mean, ReduceAll, ReduceMax, ReduceMin, Sum
from xymac.hdl.isa import Op
from xymac.host.frontend.tflm.functions.elementwise import peak_of
from xymac.host.ir.fields import container_clip
from xymac.host.ir.places import FirstExtreme
from xymac.host.ir.pool import ExtremeAlong, SumAlong
from xymac.host.ir.rescale import rescale_fields, rescale_records
from xymac.host.ir.sums import check_largest

__all__ = ["EXTREMES", "PLACES", "SUMS"]

_OPS     = {ReduceMax: Op.MAX, ReduceMin: Op.MIN, ReduceAll: Op.MIN}
_LARGEST = (1 << 31) - (1 << 15) - 1  #: Largest sum that fits 32 bits together with a zero point.


def form_of_sum(layer, x):
    """The ``SumAlong`` for a MEAN or SUM on a Tensor like ``x``.

    Refusal where a sum can have more than 32 bits after a shift to the left.
    """
    multiplier, exponent = layer.factor(x)
    count = layer.count(x.shape)
    check_largest(count * peak_of(x) << max(exponent, 0), _LARGEST)
    return SumAlong(frozenset(layer.dimensions(x.shape)), layer.keep_dims,
                    (*rescale_records(multiplier, exponent), -x.quantisation.zero_point * count),
                    rescale_fields(layer.out.zero_point, container_clip(x.bits)))


def form_of_extreme(layer, x):
    """The ``ExtremeAlong`` for a REDUCE_MAX, REDUCE_MIN or REDUCE_ALL."""
    return ExtremeAlong(frozenset(layer.dimensions(x.shape)), layer.keep_dims, _OPS[type(layer)])


SUMS     = dict.fromkeys((Mean, Sum), form_of_sum)
PLACES   = {kind: lambda layer, x, op=op: FirstExtreme(op, layer.axis % len(x.shape))
            for kind, op in ((ArgMax, Op.MAX), (ArgMin, Op.MIN))}
EXTREMES = dict.fromkeys(_OPS, form_of_extreme)
