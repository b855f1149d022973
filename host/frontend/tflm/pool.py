# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite pooling as pools."""

from dataclasses import replace
from functools import partial

from xymac.golden.parameters.tflm.ranges import activation_range
from xymac.golden.tflm import AveragePool2d, MaxPool2d
from xymac.hdl.isa import AccumulatorRange, RoundMode, Scale
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.pixels import NHWC
from xymac.host.ir.pool import MeanForm, Pool, each_mean, find_largest
from xymac.host.ir.sums import first_record

from .pool_bands import AveragePoolBand, MaxPoolBand

__all__ = ["FORMS", "find_mean"]

_FACTOR_BITS = 15  #: Bits of a positive factor used as a MAC operand.
_SCALE_BITS  = 31  #: Bits of a scale factor for sums.
_LIMIT_BITS  = 30  #: Element bits plus the bits of the largest element count.


def form_of_maxima(layer, x):
    """Pool for a MaxPool2d on a Tensor like ``x``."""
    return _pool(layer, x, partial(find_largest, _limits(layer, x)))


def form_of_means(layer, x):
    """Pool for an AveragePool2d on a Tensor like ``x``.

    Refusal for windows with too many elements.
    """
    fill = getattr(layer, "fill", 0)
    pool = _pool(layer, x, partial(_means, layer, x, fill), counts=True, factor_bits=16,
                 counted=getattr(layer, "counted", (0, 0, 0, 0)))
    most, largest = 1 << _LIMIT_BITS - x.bits, max(pool.taps(0)) * max(pool.taps(1))
    if largest > most:
        raise Refusal(RefusalKind.SHAPE, f"A window must have at most {most} elements of {x.bits} "
                      f"bits, not {largest}")
    return pool


def _pool(layer, x, find, **fields):
    return Pool(layer.kernel, layer.stride, layer.pads(x.shape), NHWC, x.shape[1:3],
                layer.output_shape(x.shape)[1:3], find, **fields)


def _means(layer, x, fill, counts):
    """The MeanForms for ``counts`` elements."""
    mean = partial(_factor, layer, x, _common_shift(counts, x.bits))
    return each_mean(partial(_add_fill, mean, fill) if fill else mean, counts)


def _add_fill(mean_of, fill, count):
    """The MeanForm for ``count`` elements equal to ``fill``, plus the excess of each element a pass
    reads.
    """
    mean  = mean_of(count)
    total = fill * count * (1 if mean.records else mean.factor)
    return replace(mean, records=(*mean.records[:-1], total),
                   output=mean.output | {"x_zero": fill})


def _limits(layer, x):
    return activation_range(layer.activation, layer.out.scale, layer.out.zero_point, x.bits)


def _factor(layer, x, shift, count):
    """The MeanForm for ``count`` elements: a factor with the common ``shift``, or scaled."""
    clip = _limits(layer, x)
    if shift is not None:
        return MeanForm(find_mean(count, x.bits, shift), output={
            "shift": shift, "rounding": RoundMode.UP, "clip": clip,
            "acc_range": AccumulatorRange.BITS40})
    shift  = ((count << _SCALE_BITS) - 1).bit_length() - 1
    factor = find_mean(count, x.bits, shift)
    record = int(first_record(factor, 0, shift))
    return MeanForm(1, (record, 0), {"scale": Scale.BITS32, "rounding": RoundMode.UP,
                                     "clip": clip})


def _common_shift(counts, bits):
    """The smallest shift with ``_FACTOR_BITS``-bit factors for all ``counts``, or None."""
    for shift in range(_FACTOR_BITS + max(counts).bit_length()):
        factors = [find_mean(count, bits, shift) for count in counts]
        if None not in factors and max(factors) >> _FACTOR_BITS == 0:
            return shift
    return None


def find_mean(count, bits, shift):
    """The factor with which a shifted sum, rounded half up, is the mean, rounded half away from
    zero.

    None if there is none. With a factor slightly too large, by ``excess / count`` steps, each
    ``2**-shift``, a half below zero rounds down, and a half above zero still up. No other result
    changes if the sum times the excess is less than the distance between two such quotients: halves
    for an odd count, integers for an even count.

    Parameters
    ----------
    count : int, elements of ``bits``
    shift : int
    """
    factor = (1 << shift) // count + 1
    excess = factor * count - (1 << shift)
    most   = count << bits - 1
    return factor if most * excess << count % 2 < 1 << shift else None


FORMS = {**dict.fromkeys((MaxPool2d, MaxPoolBand), form_of_maxima),
         **dict.fromkeys((AveragePool2d, AveragePoolBand), form_of_means)}
