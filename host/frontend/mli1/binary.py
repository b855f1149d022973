# SPDX-License-Identifier: Apache-2.0
"""Two tensors combined element by element in MLI 1.x, as a map or a product."""

from xymac.golden.mli1 import Eltwise, EltwiseOp
from xymac.hdl.isa import Op
from xymac.host.ir.elementwise import ElementMap, ElementMaps
from xymac.host.ir.fields import shift_fields
from xymac.host.ir.product import Product

__all__ = ["FORMS"]

_OPS = {EltwiseOp.MAX: Op.MAX, EltwiseOp.MIN: Op.MIN}


def form_of(layer, a, b):
    """A layer's ``ElementMaps`` or ``Product`` for Tensors like ``a`` and ``b``."""
    if layer.op is EltwiseOp.MUL:
        shift = a.frac_bits + b.frac_bits - layer.output_like(a, b).frac_bits
        return Product(shift_fields(shift, layer.rounding))
    weights = (1, -1 if layer.op is EltwiseOp.SUB else 1)
    return ElementMaps((ElementMap.of(*weights, reads=("a", "b"),
                                      output={"op": _OPS.get(layer.op, Op.MAC)}),))


FORMS = {Eltwise: form_of}
