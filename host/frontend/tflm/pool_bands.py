# SPDX-License-Identifier: Apache-2.0
"""Bands of images of TensorFlow Lite: pools whose padding no option describes."""

from dataclasses import dataclass, fields

from xymac.golden.tflm import AveragePool2d, MaxPool2d

__all__ = ["AveragePoolBand", "MaxPoolBand", "band_of"]


@dataclass(frozen=True)
class MaxPoolBand(MaxPool2d):
    """A MaxPool2d with padding of its own: (top, bottom, left, right), elements."""

    sides: tuple = (0, 0, 0, 0)

    def pads(self, x_shape):
        """Padding of an input of ``x_shape``, elements."""
        return self.sides


@dataclass(frozen=True)
class AveragePoolBand(AveragePool2d):
    """An AveragePool2d with padding of its own, as MaxPoolBand.

    Of these elements the innermost ones count, ``counted`` on each side, and are ``fill``.
    """

    sides:   tuple = (0, 0, 0, 0)
    counted: tuple = (0, 0, 0, 0)
    fill:    int = 0

    def pads(self, x_shape):
        """Padding of an input of ``x_shape``, elements."""
        return self.sides


_BANDS = {MaxPool2d: MaxPoolBand, AveragePool2d: AveragePoolBand}


def band_of(layer, sides):
    """A pool of TensorFlow Lite with padding of its own."""
    kind   = next(band for whole, band in _BANDS.items() if isinstance(layer, whole))
    values = {each.name: getattr(layer, each.name) for each in fields(layer)}
    if any(values.get("counted", ())):
        values["counted"] = tuple(map(min, values["counted"], sides))
    return kind(**values | {"sides": sides})
