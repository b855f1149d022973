# SPDX-License-Identifier: Apache-2.0
"""Selection of TensorFlow Lite tensor elements by index."""

import numpy as np

from .move import Moved

__all__ = ["Picked"]


class Picked(Moved):
    """Base of an operator whose every output is an input element or 0.

    A subclass defines ``_check_place``, and ``places(x_shape)``: the flat input index (C order) per
    output element, int64 in the output shape; -1 gives 0.
    """

    def output_shape(self, x_shape):
        """Output shape for the input shape ``x_shape``."""
        return self.places(x_shape).shape

    def take(self, data):
        """The output elements."""
        places = self.places(data.shape)
        result = np.array(data.reshape(-1)[places])
        result[places < 0] = 0
        return result
