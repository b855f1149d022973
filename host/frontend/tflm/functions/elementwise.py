# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators on single elements as maps: rectifiers."""

import numpy as np

from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.parameters.tflm.ranges import activation_range, quantize_real
from xymac.golden.tflm import Abs, LeakyRelu, LogicalNot, Prelu, Relu, Relu6
from xymac.hdl.isa import Op
from xymac.host.frontend.tflm.functions.slopes import Slope, check_factor, slope_maps
from xymac.host.frontend.tflm.maps import make_maps
from xymac.host.ir.elementwise import ElementMap
from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import rescale_fields, rescale_records

__all__ = ["FORMS", "peak_of", "rescale_map", "slope_of_leaky"]


def peak_of(x):
    """Largest magnitude of an element minus the zero point."""
    zero = x.quantisation.zero_point
    return max(abs(limit - zero) for limit in container_clip(x.bits))


def rescale_map(x, factor, zero, limits, **fields):
    """ElementMap for the elements of ``x`` minus its zero point, times a factor, plus ``zero``."""
    check_factor(peak_of(x), factor[1])
    records = (*rescale_records(*factor), -x.quantisation.zero_point)
    return ElementMap.of(1, output=rescale_fields(zero, limits),
                         records=tuple(map(np.atleast_1d, records)), **fields)


def form_of_relu(layer, x):
    """The ``ElementMaps`` for a RELU, which has its output's scale."""
    limits = activation_range(Activation.RELU, layer.out.scale, layer.out.zero_point, x.bits)
    return make_maps((rescale_map(x, layer.factors(x)[0], layer.out.zero_point, limits),))


def form_of_relu6(layer, x):
    """The ``ElementMaps`` for a RELU6, which only limits."""
    zero = x.quantisation.zero_point
    most = min(zero + quantize_real(6, x.quantisation.scale), container_clip(x.bits)[1])
    return make_maps((ElementMap.of(1, output={"clip": (zero, most)}),))


def slope_of_leaky(layer, x):
    """A LEAKY_RELU's Slope."""
    return Slope(*layer.factors(x), sign=-1 if layer.alpha < 0 else 1)


def form_of_abs(layer, x):
    """The ``ElementMaps`` for an ABS: the larger element product with 1 and -1, rescaled."""
    factor, zero = layer.factor(x), layer.out.zero_point
    check_factor(peak_of(x), factor[1])
    records = map(np.atleast_1d, (*rescale_records(*factor), 0))
    output  = rescale_fields(zero, container_clip(x.bits))
    return make_maps((ElementMap.of(
        1, -1, reads=("a", "a"), records=tuple(records),
        output={**output, "op": Op.MAX, "x_zero": x.quantisation.zero_point}),))


def form_of_not(layer, x):
    """The ``ElementMaps`` for a LOGICAL_NOT."""
    return make_maps((ElementMap.of(-1, records=(np.ones(1, np.int64),)),))


def form_of_leaky_relu(layer, x):
    """The ``ElementMaps`` for a LEAKY_RELU."""
    return slope_maps(x, [slope_of_leaky(layer, x)], layer.out.zero_point)


def form_of_prelu(layer, x):
    """The ``ElementMaps`` for a PRELU with a common slope or a slope per dimension index."""
    above, below = layer.factors(x)
    slopes = [Slope(above, below, weight) for weight in layer.alpha.centred.ravel().tolist()]
    lead   = len(x.shape) - len(layer.alpha.shape)
    axes   = [lead + axis for axis, size in enumerate(layer.alpha.shape) if size > 1]
    return slope_maps(x, slopes, layer.out.zero_point, *axes)


FORMS = {Abs: form_of_abs, LeakyRelu: form_of_leaky_relu, LogicalNot: form_of_not,
         Prelu: form_of_prelu, Relu: form_of_relu, Relu6: form_of_relu6}
