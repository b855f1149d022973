# SPDX-License-Identifier: Apache-2.0
"""Images of MLI 1.x: the order of their dimensions."""

from xymac.golden.mli1 import Layout
from xymac.host.ir.pixels import CHW, HWC

__all__ = ["pixel_order"]

_ORDERS = {Layout.HWC: HWC, Layout.CHW: CHW}


def pixel_order(layout):
    """Dimension order of an image in that Layout, with the channels innermost."""
    return _ORDERS[layout]
