"""What the layers of the XS3 library have in common: a type of the output."""

import numpy as np

from golden.layer import LayerBase

from .integers import Integers

__all__ = ["IntegerLayer"]


class IntegerLayer(LayerBase):
    """A layer whose output has elements of one type, whatever its inputs."""

    @property
    def output_dtype(self):
        """Numpy type of an element of the output."""
        return np.int8

    def output_like(self, *x):
        """Zeros in the format of the output."""
        return Integers.zeros(self.output_shape(*(integers.shape for integers in x)),
                              self.output_dtype)
