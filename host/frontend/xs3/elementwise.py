# SPDX-License-Identifier: Apache-2.0
"""XS3 library requantization as maps."""

from xymac.golden import xs3
from xymac.golden.parameters.xs3 import SCALE_SHIFT
from xymac.hdl.isa import RoundMode
from xymac.host.ir.elementwise import ElementMap, ElementMaps, split
from xymac.host.ir.fields import container_clip

__all__ = ["FORMS", "round_fields"]


def form_of(layer, x):
    """The ``ElementMaps`` for a requantization."""
    return ElementMaps((ElementMap.of(1, output=round_fields(layer, 8)),))


def round_fields(layer, shift):
    """Fields for an 8-bit output shifted right, rounded half up."""
    return {"shift": shift, "rounding": RoundMode.UP, "clip": (layer.low, 127)}


def _other_scale(layer, x):
    """The ``ElementMaps`` from a 16-bit scale to another."""
    return ElementMaps((ElementMap(split([(1 << SCALE_SHIFT) + layer.scale]), output={
        "shift": SCALE_SHIFT, "rounding": RoundMode.UP, "clip": container_clip(16)}),))


FORMS = {xs3.Requantize16To8: form_of, xs3.RequantizeInt16: _other_scale}
