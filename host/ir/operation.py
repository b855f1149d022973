# SPDX-License-Identifier: Apache-2.0
"""A part of a layer, by its form."""

from dataclasses import dataclass, replace

import numpy as np

from xymac.golden.array import Array

__all__ = ["Operation"]


@dataclass(frozen=True)
class Operation:
    """A form in the place of a layer: such as a part of a layer, which no layer has to make.

    Parameters
    ----------
    form : form of ``xymac.host.ir``
    shape : tuple, of the output
    like : Array in the format of the output, of any shape
    inputs : int, how many inputs there are
    """

    form:   object
    shape:  tuple
    like:   Array
    inputs: int = 1

    by_element = False

    @classmethod
    def part(cls, form, output, target):
        """The Operation whose output are the slices ``target`` of the Array ``output``."""
        return cls(form, tuple(each.stop - each.start for each in target), output)

    def check(self, *x):
        """Inputs of a part are parts of inputs that the layer has accepted."""

    def output_shape(self, *x_shapes):
        """Shape of the output."""
        return self.shape

    def output_like(self, *x):
        """Zeros in the format of the output."""
        return replace(self.like, data=np.zeros(self.shape, self.like.data.dtype))
