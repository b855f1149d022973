# SPDX-License-Identifier: Apache-2.0
"""Selection of TensorFlow Lite tensor elements by index."""

from dataclasses import dataclass, field

import numpy as np

from xymac.golden.tflm.tensor import Quantisation

from .move import Moved

__all__ = ["Pick", "Picked"]


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


@dataclass(frozen=True, eq=False)
class Pick(Picked):
    """Any elements of a tensor; other operators use it as a part.

    Parameters
    ----------
    numbers : int64 array in the output shape, flat input indices as in ``places``
    out : output Quantisation; None for the input's
    """

    numbers: np.ndarray = field(repr=False)
    out:     Quantisation | None = None

    def places(self, x_shape):
        """The flat indices."""
        return self.numbers

    def _check_place(self, x):
        if not -1 <= self.numbers.min() <= self.numbers.max() < x.data.size:
            raise ValueError(f"numbers must be between -1 and {x.data.size - 1}, "
                             f"not {self.numbers.min()} to {self.numbers.max()}")
