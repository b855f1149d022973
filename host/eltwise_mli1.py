"""Two tensors combined element by element in MLI 1.x, as a map or a product."""

from golden import EltwiseOp
from hdl.isa import Op

from .formats import blank_output
from .maps import Map, Recipe
from .product import Product
from .shifts import shift_fields

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
