# SPDX-License-Identifier: Apache-2.0
"""Loop execution for programs and passes, and the prediction result."""

from dataclasses import dataclass, replace

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
    """Taps on the image: int64 arrays for every loop b index (rows) and every loop c index
    (columns)."""
    if pass_.accumulate.op is Op.SLIDE:
        rows, _ = count_taps(replace(pass_, op=Op.MAC))
        return [rows, np.where(np.arange(pass_.loop.outer[2]) == 0, pass_.loop.taps[1], 1)]
    counts = []
    for axis, outputs, taps in ((pass_.loop.rows, pass_.loop.outer[1], pass_.loop.taps[0]),
                                (pass_.loop.cols, pass_.loop.outer[2], pass_.loop.taps[1])):
        first = np.arange(outputs) * axis.step - axis.pad
        counts.append(np.minimum(taps, axis.size - first) - np.maximum(0, -first))
    return counts
