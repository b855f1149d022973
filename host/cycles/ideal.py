# SPDX-License-Identifier: Apache-2.0
"""A layer's ideal cycles: its work at the array's full rate."""

from xymac.golden.kinds import WorkUnit
from xymac.golden.layer import unit_of

__all__ = ["ideal_cycles"]

#: A microprogram takes two cycles per product without shared operands, and 55
#: two-cycle instructions per element.
_MICROPROGRAM = {WorkUnit.LANES: 1 / 2, WorkUnit.ELEMENTS: 1 / 110}


def ideal_cycles(layer, config, *x_shapes):
    """Ideal cycles, a float: ``Layer.work`` for inputs of ``x_shapes`` divided by the core's peak
    rate.

    A depthwise kernel or pooling uses a product per lane, because its channels share no operand.
    Layers without products are limited by the output stage.
    """
    rates = {WorkUnit.PRODUCTS: config.products, WorkUnit.LANES: config.lanes,
             WorkUnit.ELEMENTS: config.ways}
    if not config.capabilities.parallel:
        rates |= _MICROPROGRAM
    return layer.work(*x_shapes) / rates[unit_of(layer, *x_shapes)]
