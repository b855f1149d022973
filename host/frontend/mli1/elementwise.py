# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x activations and conversions as maps."""

from functools import partial

from xymac.golden.mli1 import ConvertTensor, LeakyRelu, Rectify, Sigmoid, Tanh
from xymac.golden.parameters.mli1 import relu_limits
from xymac.hdl.isa import TABLES, Op, RoundMode, Table
from xymac.host.ir.elementwise import ElementMap, ElementMaps
from xymac.host.ir.fields import shift_fields

__all__ = ["FORMS", "TABLE_SHIFT_MAX", "table_fields"]

TABLE_SHIFT_MAX = 15  #: Argument bits used for interpolation.


def form_of_rectify(layer, x):
    """ElementMaps for a ReLU on a Tensor like ``x``."""
    limits = relu_limits(layer.relu, x.frac_bits, x.bits)
    return ElementMaps((ElementMap.of(1, output={"clip": limits}),))


def form_of_leaky_relu(layer, x):
    """ElementMaps: ``slope * x`` to the output, then its maximum or minimum with ``x``."""
    slope  = layer.slope
    scaled = ElementMap.of(slope.data.item(), output=shift_fields(slope.frac_bits, layer.rounding))
    op     = Op.MAX if layer.takes_larger else Op.MIN
    return ElementMaps((scaled, ElementMap.of(1, 1, reads=("a", "out"), output={"op": op})))


def form_of_conversion(layer, x):
    """ElementMaps for a conversion."""
    fields = shift_fields(x.frac_bits - layer.frac_bits, layer.rounding)
    return ElementMaps((ElementMap.of(1, output=fields),))


def form_of_table(layer, x, table):
    """ElementMaps for a function with a core table."""
    fields = table_fields(table, x.frac_bits, layer.rounding)
    return ElementMaps((ElementMap.of(1, output=fields),))


def table_fields(table, frac_bits, rounding):
    """Fields for a lookup at ``element / 2**frac_bits``.

    The argument is shifted to the table's format: truncated, or extended to 16 bits.
    """
    shift  = frac_bits - TABLES[table].frac_bits
    before = shift - min(max(shift, 0), TABLE_SHIFT_MAX)
    return {"clip": (-(1 << 15), (1 << 15) - 1), **shift_fields(before, RoundMode.FLOOR),
            "table": table, "table_shift": shift - before, "table_rounding": rounding}


FORMS = {Rectify: form_of_rectify, LeakyRelu: form_of_leaky_relu, ConvertTensor: form_of_conversion,
         Sigmoid: partial(form_of_table, table=Table.SIGM),
         Tanh: partial(form_of_table, table=Table.TANH)}
