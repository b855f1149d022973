# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x images: their dimension order."""

from xymac.golden.mli1 import Layout
from xymac.host.ir.pixels import CHW, HWC

__all__ = ["pixel_order"]

_ORDERS = {Layout.HWC: HWC, Layout.CHW: CHW}


def pixel_order(layout):
    """Image dimension order in that Layout, with the channels innermost."""
    return _ORDERS[layout]
