"""Elements of a tensor of TensorFlow Lite by their numbers."""

from dataclasses import dataclass, field

import numpy as np

from golden.tflm.tensor import Quantisation

from .move import Moved

__all__ = ["Pick", "Picked"]


class Picked(Moved):
    """An operator each of whose outputs is one element of the input, or 0.

    A subclass has ``places`` and ``_check_place``; the output has the shape of the former.
    """

    def output_shape(self, x_shape):
        """Output shape for a valid input of ``x_shape``."""
        return self.places(x_shape).shape

    def places(self, x_shape):
        """Number of an element of the input, in C order, for every element of the output: int64,
        -1 for 0."""
        raise NotImplementedError

    def take(self, data):
        """The elements of the output."""
        places = self.places(data.shape)
        result = np.array(data.reshape(-1)[places])
        result[places < 0] = 0
        return result


@dataclass(frozen=True, eq=False)
class Pick(Picked):
    """Any elements: a part of another operator.

    Parameters
    ----------
    numbers : int64 array in the shape of the output, as ``places`` has them
    out : Quantisation, None for that of the input
    """

    numbers: np.ndarray = field(repr=False)
    out:     Quantisation | None = None

    def places(self, x_shape):
        """The numbers."""
        return self.numbers

    def _check_place(self, x):
        if not -1 <= self.numbers.min() <= self.numbers.max() < x.data.size:
            raise ValueError(f"numbers must be between -1 and {x.data.size - 1}, "
                             f"not {self.numbers.min()} to {self.numbers.max()}")
