"""Requantization of the XS3 library as maps."""

from golden import xs3
from hdl.isa import RoundMode

from .form import ElementMap, ElementMaps

__all__ = ["FORMS", "round_fields"]


def form_of(layer, x):
    """The ``ElementMaps`` of a requantization."""
    return ElementMaps((ElementMap.of(1, output=round_fields(layer, 8)),))


def round_fields(layer, shift):
    """Fields of an output of 8 bits that is shifted to the right, halves up."""
    return {"shift": shift, "rounding": RoundMode.UP, "clip": (layer.low, 127)}


FORMS = {xs3.Requantize16To8: form_of}
