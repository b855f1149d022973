# SPDX-License-Identifier: Apache-2.0
"""A layer part, given by its form."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden.array import Array
from xymac.golden.kinds import WorkUnit
from xymac.golden.result import Result

if TYPE_CHECKING:
    pass

__all__ = ["Operation"]


@dataclass(frozen=True)
class Operation:
    """A form used as a layer: for instance a layer part that no layer class represents.

    Parameters
    ----------
    form : ``xymac.host.ir`` form
    shape : tuple, output shape
    like : Array in the output format, of any shape
    inputs : int, input count
    """

    form:   Any
    shape:  tuple[int, ...]
    like:   Array
    inputs: int = 1

    by_element = False
    work_unit  = WorkUnit.ELEMENTS

    @classmethod
    def part(cls, form: Any, output: Array, target: tuple[slice, ...],
             inputs: int = 1) -> Operation:
        """The Operation for the slices ``target`` of the Array ``output``."""
        part  = output.take(target)
        alike = all(getattr(part, field.name) == getattr(output, field.name)
                    for field in fields(output) if field.name != "data")
        # Parts with the same format share an Array, so that equal parts share a plan.
        return cls(form, part.shape, output if alike else part, inputs)

    def check(self, *x: Array) -> None:
        """Accept all inputs: they are parts of inputs accepted by the layer."""

    def output_shape(self, *x_shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape."""
        return self.shape

    def output_like(self, *x: Array) -> Array:
        """Zeros in the output format."""
        return replace(self.like, data=np.zeros(self.shape, self.like.data.dtype))

    def run(self, *x: Array) -> Result:
        """Evaluate the form; a sum's overflow is not reported."""
        made = self.form.evaluate(self.like.bits, *(each.data for each in x)).reshape(self.shape)
        return Result(replace(self.like, data=made.astype(self.like.data.dtype)), False)

    def work(self, *x_shapes: tuple[int, ...]) -> int:
        """Output element count."""
        return prod(self.shape)

    def data_type(self, *x: Array) -> str:
        """The first input's type, as in the library's function names."""
        return x[0].type_name
