"""Two tensors combined element by element in MLI 1.x, as a map or a product."""

from golden.mli1 import EltwiseOp
from hdl.isa import Op
from host.lower.elementwise.form import Map, Recipe
from host.lower.fields.shift import shift_fields
from host.memory.formats import blank_output

from .product import Product

__all__ = ["describe"]

_OPS = {EltwiseOp.MAX: Op.MAX, EltwiseOp.MIN: Op.MIN}


def describe(layer, a, b):
    """The ``Recipe`` or ``Product`` of a layer for Tensors like ``a`` and ``b``."""
    if layer.op is EltwiseOp.MUL:
        shift = a.frac_bits + b.frac_bits - blank_output(layer, a, b).frac_bits
        return Product(shift_fields(shift, layer.rounding))
    weights = (1, -1 if layer.op is EltwiseOp.SUB else 1)
    return Recipe((Map.of(*weights, reads=("a", "b"),
                          output={"op": _OPS.get(layer.op, Op.MAC)}),))
