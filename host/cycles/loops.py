# SPDX-License-Identifier: Apache-2.0
"""Loop execution for programs and passes, and the prediction result."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from xymac.hdl.isa import Op

__all__ = ["Prediction", "count_taps", "execution_order"]


@dataclass(frozen=True)
class Prediction:
    """Predicted program cycles.

    Parameters
    ----------
    cycles : int, start to interrupt
    issued : int, array steps
    passes : tuple of int, cycle at each pass's last step, in its last iteration
    """

    cycles: int
    issued: int
    passes: tuple


def execution_order(program):
    """A program's pass indices in execution order, with loop repetitions."""
    index = iteration = 0
    while index < len(program):
        yield index
        pass_ = program[index]
        if iteration < pass_.control.repeat:
            iteration, index = iteration + 1, index - pass_.control.back
            continue
        if pass_.control.repeat:
            iteration = 0
        index += 1


def count_taps(pass_):
    """Taps on the image: int64 arrays, read-only, for every loop b index (rows) and every loop c
    index (columns)."""
    loop = pass_.loop
    rows = _count_along(loop.rows, loop.outer[1], loop.taps[0])
    if pass_.accumulate.op is Op.SLIDE:
        return rows, np.where(np.arange(loop.outer[2]) == 0, loop.taps[1], 1)
    return rows, _count_along(loop.cols, loop.outer[2], loop.taps[1])


@lru_cache(maxsize=256)
def _count_along(axis, outputs, taps):
    """Taps on the image for every index of a loop along an Axis."""
    first  = np.arange(outputs) * axis.step - axis.pad
    counts = np.minimum(taps, axis.size - first) - np.maximum(0, -first)
    counts.flags.writeable = False
    return counts
