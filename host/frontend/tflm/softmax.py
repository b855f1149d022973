# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite softmax and its logarithm."""

from xymac.golden.parameters.tflm.function_tables import EXPONENTIALS, RECIPROCALS
from xymac.golden.tflm import LogSoftmax, Softmax
from xymac.host.ir import normalise
from xymac.host.memory.tables import OwnTable

__all__ = ["LOGARITHMS", "ROWS", "TABLES"]

_POWERS   = OwnTable(tuple(-value for value in EXPONENTIALS), 1 << 8)
_INVERSES = OwnTable(tuple(-value for value in RECIPROCALS), -1 << 9)


def rows_of(layer, x):
    """The ``RowSoftmax`` for bytes like ``x``; None for wider elements."""
    if x.bits > 8:
        return None
    return normalise.RowSoftmax(layer.factor(x), 8 * layer.output_dtype(x).itemsize)


def tables_of(layer, x):
    """The ``TableSoftmax`` for 16-bit elements like ``x``; None for bytes."""
    return None if x.bits == 8 else normalise.TableSoftmax(layer.factor(x), _POWERS, _INVERSES)


ROWS       = {Softmax: rows_of}
TABLES     = {Softmax: tables_of}
LOGARITHMS = {LogSoftmax: lambda layer, x: normalise.LogSoftmax(layer.factor(x)[:3])}
