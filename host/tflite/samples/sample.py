# SPDX-License-Identifier: Apache-2.0
"""Single-operator Models by operator name."""

from ..model import ABSENT, Model, Operator
from .arithmetic import ARITHMETIC
from .elements import ELEMENTS
from .moves import MOVES
from .picks import PICKS
from .sums import SUMS
from .variables import VARIABLES

__all__ = ["SAMPLES", "sample_model"]

#: Functions by operator name, from the four modules.
SAMPLES = SUMS | ELEMENTS | ARITHMETIC | MOVES | PICKS | VARIABLES


def sample_model(name, wish):
    """Single-operator Model that fulfils a Wish; it may be uncomputable."""
    if name in VARIABLES:
        return VARIABLES[name](wish)
    inputs, outputs, options = SAMPLES[name](wish)
    tensors, places = [], []
    for tensor in inputs:
        places.append(ABSENT if tensor is None else len(tensors))
        tensors += [] if tensor is None else [tensor]
    while places[-1:] == [ABSENT] and name != "UNIDIRECTIONAL_SEQUENCE_LSTM":
        places.pop()
    numbers = tuple(range(len(tensors), len(tensors) + len(outputs)))
    given   = tuple(number for number, tensor in enumerate(tensors)
                    if tensor.data is None and not tensor.is_variable)
    return Model((*tensors, *outputs), (Operator(name, tuple(places), numbers, options),), given,
                 numbers)
