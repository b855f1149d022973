"""Which function makes the layers of which operator."""

from .arithmetic import ARITHMETIC
from .elements import ELEMENTS
from .linear import LINEAR
from .moves import MOVES, SPLITS
from .picks import PICKS
from .plain import PLAIN, is_plain
from .recurrent import RECURRENT

__all__ = ["CONVERTERS", "layer_of"]

#: Functions from a Call and the number of an output to a layer by the operator's name.
CONVERTERS = SPLITS | {
    name: lambda call, index, convert=convert: convert(call)
    for name, convert in (PLAIN | LINEAR | ELEMENTS | ARITHMETIC | MOVES | PICKS
                          | RECURRENT).items()}


def layer_of(call, index):
    """The layer of golden.tflm that computes output ``index`` of a Call.

    ValueError or TypeError, one sentence without the operator's name, for what no layer can be;
    what the layer says of its inputs is not asked.
    """
    name = call.operator.name
    if name in PLAIN and is_plain(call):
        return PLAIN[name](call)
    return CONVERTERS[name](call, index)
