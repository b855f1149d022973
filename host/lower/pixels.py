"""Images that lie pixel by pixel: the order of their dimensions."""

from golden.mli1 import Layout

__all__ = ["HWC", "check_pixels", "pixel_order"]

HWC = (0, 1, 2)  #: Order of the dimensions of an image of the later libraries.

_ORDERS = {Layout.HWC: HWC, Layout.CHW: (1, 2, 0)}


def pixel_order(layout):
    """Order of the dimensions of an image of that Layout with the channels innermost."""
    return _ORDERS[layout]


def check_pixels(order, source):
    """Raise ValueError unless the TensorLayout ``source`` lies pixel by pixel in that ``order``."""
    if source.order != order or source.inner != 1:
        [layout] = (layout for layout in Layout if pixel_order(layout) == order)
        raise ValueError(f"The layer takes layout {layout.name}, its input lies in the order "
                         f"{source.order}, {source.inner} of them together")
