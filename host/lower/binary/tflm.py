"""Two tensors combined element by element in TensorFlow Lite, as maps or a product."""

import numpy as np

from golden.parameters.tflm.ranges import activation_range
from golden.tflm import Add, Maximum, Minimum, Mul, Sub
from hdl.isa import Op
from host.lower.elementwise.form import ElementMap, ElementMaps, split
from host.lower.elementwise.rescale import rescale_fields, rescale_records
from host.lower.elementwise.slopes import check_factor
from host.lower.elementwise.tflm import peak_of

from .one_pass import find_one_pass
from .product import Product
from .wide_sum import wide_sum

__all__ = ["FORMS"]

_EXTREMES = {Maximum: Op.MAX, Minimum: Op.MIN}


def _limits(layer, bits):
    return activation_range(layer.activation, layer.out.scale, layer.out.zero_point, bits)


def form_of_sum(layer, a, b):
    """The ``ElementMaps`` of an ADD or a SUB for Tensors like ``a`` and ``b``."""
    zero, limits = layer.out.zero_point, _limits(layer, a.bits)
    zeros   = a.quantisation.zero_point, b.quantisation.zero_point
    sign    = -1 if isinstance(layer, Sub) else 1
    factors = layer.factors(a, b)
    output  = rescale_fields(zero, limits)
    fit     = None
    if a.bits == 8:
        fit = find_one_pass(zeros, factors, sign, tuple(limit - zero for limit in limits))
    if fit is None:
        return wide_sum((a, b), factors, sign, output)
    weights, scale = fit
    bias    = -sum(weight * each for weight, each in zip(weights, zeros, strict=True))
    return ElementMaps((ElementMap(
        split(weights), ("a", "b"), output=output,
        records=tuple(map(np.atleast_1d, (*scale.records, bias)))),))


def form_of_product(layer, a, b):
    """The ``Product`` of a MUL."""
    factor = layer.factor(a, b)
    check_factor(peak_of(a) * peak_of(b), factor[1])
    return Product(rescale_fields(layer.out.zero_point, _limits(layer, a.bits)),
                   (*rescale_records(*factor), 0),
                   (a.quantisation.zero_point, b.quantisation.zero_point))


def form_of_extreme(layer, a, b):
    """The ``ElementMaps`` of a MAXIMUM or MINIMUM, whatever scales there are."""
    return ElementMaps((ElementMap.of(1, 1, reads=("a", "b"),
                                      output={"op": _EXTREMES[type(layer)]}),))


FORMS = {Add: form_of_sum, Sub: form_of_sum, Mul: form_of_product, Maximum: form_of_extreme,
         Minimum: form_of_extreme}
