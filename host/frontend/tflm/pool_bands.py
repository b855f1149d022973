# SPDX-License-Identifier: Apache-2.0
"""Row and column tiles of TensorFlow Lite pools, with paddings that no option describes."""

from dataclasses import dataclass, fields

from xymac.golden.tflm import AveragePool2d, MaxPool2d

__all__ = ["AveragePoolBand", "MaxPoolBand", "band_of"]


@dataclass(frozen=True)
class MaxPoolBand(MaxPool2d):
    """A MaxPool2d with its own padding: (top, bottom, left, right), elements."""

    sides: tuple = (0, 0, 0, 0)

    def pads(self, x_shape):
        """Padding in elements for input shape ``x_shape``."""
        return self.sides


@dataclass(frozen=True)
class AveragePoolBand(AveragePool2d):
    """An AveragePool2d with explicit padding, like MaxPoolBand.

    The innermost padding elements, ``counted`` per side, are counted and have the value ``fill``.
    """

    sides:   tuple = (0, 0, 0, 0)
    counted: tuple = (0, 0, 0, 0)
    fill:    int = 0

    def pads(self, x_shape):
        """Padding in elements for input shape ``x_shape``."""
        return self.sides


_BANDS = {MaxPool2d: MaxPoolBand, AveragePool2d: AveragePoolBand}


def band_of(layer, sides):
    """A TensorFlow Lite pool with explicit padding."""
    kind   = next(band for whole, band in _BANDS.items() if isinstance(layer, whole))
    values = {each.name: getattr(layer, each.name) for each in fields(layer)}
    if any(values.get("counted", ())):
        values["counted"] = tuple(map(min, values["counted"], sides))
    return kind(**values | {"sides": sides})
