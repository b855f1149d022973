# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 pooling as pools."""

from functools import partial

from xymac.golden.mli2 import AvePool, MaxPool
from xymac.golden.parameters.mli2.pool import affine_scale, fixed_scale
from xymac.hdl.isa import AccumulatorRange, Scale
from xymac.host.frontend.mli2.fields import fold_shift, round_clip
from xymac.host.ir.fields import container_clip, shift_fields
from xymac.host.ir.pixels import HWC
from xymac.host.ir.pool import MeanForm, Pool, each_mean, find_largest
from xymac.host.ir.sums import first_record

__all__ = ["FORMS"]

_SUM_MAX   = (1 << 31) - 1
_COUNT_MAX = 1 << 10  #: Elements of 16 bits whose sum times a multiplier fits 40 bits.


def form_of_maxima(layer, x):
    """The ``Pool`` for a MaxPool on a QuantTensor like ``x``."""
    return _pool(layer, x, partial(find_largest, container_clip(x.bits)))


def form_of_means(layer, x):
    """The ``Pool`` for an AvePool on a QuantTensor like ``x``."""
    return _pool(layer, x, partial(each_mean, partial(_mean, layer, x)), counts=True,
                 factor_bits=16)


def _pool(layer, x, find, **fields):
    return Pool(layer.kernel, layer.stride, layer.pad, HWC, x.shape[:2],
                layer.output_shape(x.shape)[:2], find, **fields)


def _mean(layer, x, count):
    """The MeanForm for ``count`` elements."""
    out = x.format if layer.out is None else layer.out
    if x.is_affine:
        return _affine(layer, x, out, count)
    factor, shift = fixed_scale(x.format, out, count)
    if x.bits == 8:
        return MeanForm(factor, output=_shift_fields(layer, shift, 32),
                        wraps=count * factor << 7 > 1 << 31)
    plain = MeanForm(factor, output={
        **shift_fields(shift, layer.build.rounding), "clip": container_clip(16),
        "acc_range": AccumulatorRange.BITS40})
    if count <= _COUNT_MAX:
        return plain
    multiplier, shift = fold_shift(factor, shift)
    return MeanForm(1, (int(first_record(multiplier, 0, shift)), 0),
                    {"scale": Scale.BITS32, "rounding": layer.build.rounding,
                     "clip": container_clip(16)}, before=plain)


def _affine(layer, x, out, count):
    factor, shift, start = affine_scale(x.format, out, count, layer.build)
    return MeanForm(factor, (start,), _shift_fields(layer, shift, 32),
                    wraps=abs(start) + (count * factor << 7) > _SUM_MAX)


def _shift_fields(layer, shift, bits):
    """Fields for a shift from a ``bits``-bit sum to 8 bits."""
    mode = layer.build.rounding
    return {**shift_fields(shift, mode), "clip": round_clip(8, shift, bits, mode)}


FORMS = {MaxPool: form_of_maxima, AvePool: form_of_means}
