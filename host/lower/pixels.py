# SPDX-License-Identifier: Apache-2.0
"""Check for images laid out pixel by pixel."""

from xymac.host.ir.pixels import CHW, HWC

__all__ = ["check_pixels"]

_NAMES = {HWC: "HWC", CHW: "CHW"}


def check_pixels(order, source):
    """Raise ValueError unless the TensorLayout ``source`` is pixel by pixel in ``order``."""
    if source.order != order or source.inner != 1:
        raise ValueError(f"The layer takes layout {_NAMES[order]}, its input lies in the order "
                         f"{source.order}, {source.inner} of them together")
