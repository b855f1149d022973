# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations on two TensorFlow Lite tensors, as maps or a product."""

import numpy as np

from xymac.golden.parameters.tflm.ranges import activation_range
from xymac.golden.tflm import Add, Maximum, Minimum, Mul, Sub
from xymac.hdl.isa import Op
from xymac.host.frontend.tflm.functions.elementwise import peak_of
from xymac.host.frontend.tflm.functions.slopes import check_factor
from xymac.host.ir.elementwise import ElementMap, split
from xymac.host.ir.product import Product
from xymac.host.ir.rescale import rescale_fields, rescale_records

from .maps import make_maps
from .one_pass import find_one_pass
from .wide_sum import table_sum, wide_sum

__all__ = ["FORMS", "TABLED"]

_EXTREMES = {Maximum: Op.MAX, Minimum: Op.MIN}


def _limits(layer, bits):
    return activation_range(layer.activation, layer.out.scale, layer.out.zero_point, bits)


def _sign(layer):
    return -1 if isinstance(layer, Sub) else 1


def find_single(layer, a, b):
    """ElementMap for an ADD or SUB of 8-bit tensors in a single pass, or None."""
    zero, limits = layer.out.zero_point, _limits(layer, 8)
    zeros = a.quantisation.zero_point, b.quantisation.zero_point
    fit   = find_one_pass(zeros, layer.factors(a, b), _sign(layer),
                          tuple(limit - zero for limit in limits))
    if fit is None:
        return None
    weights, scale = fit
    bias = -sum(weight * each for weight, each in zip(weights, zeros, strict=True))
    return ElementMap(split(weights), ("a", "b"),
                      output={**rescale_fields(zero, limits), "addend": True},
                      records=tuple(map(np.atleast_1d, (*scale.records, bias))))


def form_of_sum(layer, a, b, make=wide_sum):
    """ElementMaps for an ADD or SUB on Tensors like ``a`` and ``b``.

    ``make``, a function like ``wide_sum``, creates them if a single pass is not enough.
    """
    single = find_single(layer, a, b) if a.bits == 8 else None
    if single is not None:
        return make_maps((single,))
    return make((a, b), layer.factors(a, b), _sign(layer),
                rescale_fields(layer.out.zero_point, _limits(layer, a.bits)))


def form_of_product(layer, a, b):
    """Product for a MUL."""
    factor = layer.factor(a, b)
    check_factor(peak_of(a) * peak_of(b), factor[1])
    return Product(rescale_fields(layer.out.zero_point, _limits(layer, a.bits)),
                   (*rescale_records(*factor), 0),
                   (a.quantisation.zero_point, b.quantisation.zero_point), flags=False)


def form_of_extreme(layer, a, b):
    """ElementMaps for a MAXIMUM or MINIMUM, for any scales."""
    return make_maps((ElementMap.of(1, 1, reads=("a", "b"),
                                      output={"op": _EXTREMES[type(layer)]}),))


def form_of_tables(layer, a, b):
    """TabledMaps for an ADD or SUB of 8-bit tensors if no single map computes it, else None."""
    if a.bits != 8 or find_single(layer, a, b) is not None:
        return None
    return form_of_sum(layer, a, b, make=table_sum)


FORMS = {Add: form_of_sum, Sub: form_of_sum, Mul: form_of_product, Maximum: form_of_extreme,
         Minimum: form_of_extreme}
TABLED = {Add: form_of_tables, Sub: form_of_tables}
