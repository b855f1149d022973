"""The cycles that a layer takes on a full array."""

from golden.kinds import WorkUnit
from golden.layer import unit_of

__all__ = ["floor_cycles"]

#: A microprogram takes two cycles for a product of operands that no lane shares, and 55
#: instructions of two cycles for an element.
_MICROPROGRAM = {WorkUnit.LANES: 1 / 2, WorkUnit.ELEMENTS: 1 / 110}


def floor_cycles(layer, config, *x_shapes):
    """``Layer.work`` for inputs of ``x_shapes`` over what ``config`` can do of it in a cycle.

    A fraction. A depthwise kernel or pooling can use one product a lane: its channels share no
    operand. Other layers without products are bound by the elements that the output stage finishes.
    """
    rates = {WorkUnit.PRODUCTS: config.products, WorkUnit.LANES: config.lanes,
             WorkUnit.ELEMENTS: config.ways}
    if not config.capabilities.parallel:
        rates |= _MICROPROGRAM
    return layer.work(*x_shapes) / rates[unit_of(layer, *x_shapes)]
