# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite tensor element selection by index."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from .move import Moved

__all__ = ["Picked"]


class Picked(Moved):
    """Base for an operator whose every output is an input element or 0.

    A subclass defines ``_check_place``, and ``places(x_shape)``: the flat input index (C order) per
    output element, int64 in the output shape; -1 gives 0.
    """

    @abstractmethod
    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """The flat indices."""

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return self.places(x_shape).shape

    def take(self, data: np.ndarray) -> np.ndarray:
        """The output elements."""
        places = self.places(data.shape)
        result = np.array(data.reshape(-1)[places])
        result[places < 0] = 0
        return result
