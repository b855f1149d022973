# SPDX-License-Identifier: Apache-2.0
"""A part of a layer, by its form."""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from xymac.golden.array import Array
from xymac.golden.kinds import WorkUnit
from xymac.golden.result import Result

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
    work_unit  = WorkUnit.ELEMENTS

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

    def run(self, *x):
        """The form evaluated; whether a sum overflowed is not told."""
        made = self.form.evaluate(self.like.bits, *(each.data for each in x)).reshape(self.shape)
        return Result(replace(self.like, data=made.astype(self.like.data.dtype)), False)

    def work(self, *x_shapes):
        """Elements of the output."""
        return prod(self.shape)

    def data_type(self, *x):
        """Type of the first input as the functions of the library spell it."""
        return x[0].type_name
