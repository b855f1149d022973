# SPDX-License-Identifier: Apache-2.0
"""Layer construction by operator name."""

from ..functions import FUNCTIONS
from .arithmetic import ARITHMETIC
from .elements import ELEMENTS
from .linear import LINEAR
from .moves import MOVES, SPLITS
from .picks import PICKS
from .plain import PLAIN, is_plain
from .recurrent import RECURRENT

__all__ = ["CONVERTERS", "layer_of"]


def _function(kind):
    return lambda call: kind(call.out)


#: Functions from an OperatorCall and an output number to a layer, by operator name.
CONVERTERS = SPLITS | {
    name: lambda call, index, convert=convert: convert(call)
    for name, convert in (
        PLAIN | LINEAR | ELEMENTS | {name: _function(kind) for name, kind in FUNCTIONS.items()}
        | ARITHMETIC | MOVES | PICKS | RECURRENT).items()}


def layer_of(call, index):
    """The xymac.golden.tflm layer for a Call's output ``index``.

    ValueError or TypeError, a single sentence without the operator name, for invalid parameters;
    the layer does not check its inputs here.
    """
    name = call.operator.name
    if name in PLAIN and is_plain(call):
        return PLAIN[name](call)
    return CONVERTERS[name](call, index)
