# SPDX-License-Identifier: Apache-2.0
"""Input layout refusals: each function returns a Refusal, or None for a layout that fits."""

from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.pixels import CHW, HWC

__all__ = ["refuse_apart", "refuse_inner", "refuse_layout", "refuse_moved", "refuse_other",
           "refuse_pixels"]

_NAMES = {HWC: "HWC", CHW: "CHW"}


def refuse_layout(text):
    """A layout Refusal with a sentence."""
    return Refusal(RefusalKind.LAYOUT, text)


def refuse_other(source, wanted):
    """Refusal unless two TensorLayouts have the same arrangement."""
    if source.arrangement == wanted.arrangement:
        return None
    return refuse_layout(f"The input must lie as {wanted.arrangement}, not as {source.arrangement}")


def refuse_moved(source, wanted):
    """Refusal unless two TensorLayouts have the same arrangement and memory."""
    if source.memory is wanted.memory:
        return refuse_other(source, wanted)
    return refuse_layout(f"The input must lie in {wanted.memory.name}, not in {source.memory.name}")


def refuse_apart(first, second):
    """The Refusal for inputs that lie in different arrangements, or shapes."""
    return refuse_layout(f"The first input lies as {first}, the second one as {second}")


def refuse_pixels(order, source):
    """Refusal unless the TensorLayout ``source`` is pixel by pixel in ``order``."""
    if source.order == order and source.inner == 1:
        return None
    return refuse_layout(f"The layer takes layout {_NAMES[order]}, its input lies in the order "
                         f"{source.order}, {source.inner} of them together")


def refuse_inner(name, axes, source):
    """Refusal unless the dimensions ``axes`` of ``source`` step by whole runs."""
    for axis in axes:
        if axis not in source.outer_axes:
            return refuse_layout(f"{name} moves dimension {axis}, which does not lie apart from "
                                 f"others in its input of shape {source.shape} in the order "
                                 f"{source.order}")
    return None
