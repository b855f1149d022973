# SPDX-License-Identifier: Apache-2.0
"""XS3 pooling as pools: windows inside the image.

No sum of products reaches 32 bits, because X memory has too few elements.
"""

from xymac.golden import xs3
from xymac.golden.parameters.xs3 import mean_factor
from xymac.hdl.isa import Op, RoundMode
from xymac.host.ir.fields import container_clip
from xymac.host.ir.pixels import HWC
from xymac.host.ir.pool import MeanForm, Pool

__all__ = ["FORMS"]


def form_of_maxima(layer, x):
    """The ``Pool`` for a MaxPool2d."""
    return _inside(layer, x, MeanForm(1, output={"op": Op.MAX, "clip": container_clip(8)}))


def form_of_means(layer, x):
    """The ``Pool`` for an AvgPool2d."""
    factor, shift = mean_factor(layer.kernel[0] * layer.kernel[1])
    return _inside(layer, x, MeanForm(factor, output=_round_fields(layer, shift)),
                   8 if factor <= container_clip(8)[1] else 16)


def form_of_global_mean(layer, x):
    """The ``Pool`` for an AvgPool2dGlobal on Integers like ``x``: a single window."""
    mean = MeanForm(layer.scale, (layer.bias,) if layer.bias else (),
                    _round_fields(layer, layer.shift))
    return Pool(x.shape[:2], (1, 1), (0,) * 4, HWC, x.shape[:2], (1, 1), lambda _: mean)


def _inside(layer, x, mean, factor_bits=8):
    """Pool with a single MeanForm; windows starting inside have negative padding."""
    top, left = layer.window.start
    return Pool(layer.kernel, layer.window.stride, (-top, 0, -left, 0), HWC, x.shape[:2],
                layer.window.out, lambda _: mean, factor_bits=factor_bits)


def _round_fields(layer, shift):
    return {"shift": shift, "rounding": RoundMode.UP, "clip": (layer.low, 127)}


FORMS = {xs3.MaxPool2d: form_of_maxima, xs3.AvgPool2d: form_of_means,
         xs3.AvgPool2dGlobal: form_of_global_mean}
