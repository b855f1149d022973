# SPDX-License-Identifier: Apache-2.0
"""Steps of one part of a search."""

from dataclasses import replace

import numpy as np

from xymac.host.executable.steps import TAKE

from ..emit import Ends

__all__ = ["add_part", "add_values", "emit_search"]


def add_part(builder, x, source, slices):
    """Number of a value like ``x``: ``source``, or the part of it under slices."""
    if not slices:
        return source
    shape  = builder.shape_of(source)
    part   = builder.add_value(x)
    builder.take(source, np.arange(np.prod(shape)).reshape(shape)[slices].ravel(), part)
    return part


def add_values(builder, x, source, places):
    """Number of a value in the format of ``x``: the elements of ``source`` at some places."""
    values = builder.add_value(replace(x, data=np.zeros(len(places), x.data.dtype)))
    builder.take(source, places, values)
    return values


def emit_search(plan, builder, source, places, to, rows):
    """Run a Plan on (number, slices), whose output counts among ``places``; put the places that it
    finds into some rows of the value ``to``."""
    found = builder.add_value(plan.blanks[0])
    plan.emit(builder, Ends((source,), ((0, found, ()),)))
    builder.compute(TAKE, (builder.add_constant(places), found), to, (rows,))
