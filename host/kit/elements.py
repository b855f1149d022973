"""Operands of a case, those of one element of the output after the other."""

import numpy as np

from .operands import operands_of

__all__ = ["elements_of"]

#: Operations whose outputs need one element of every input.
_OPERATIONS = ("requantise", "add", "sub", "mul", "relu", "sigmoid", "tanh")
_CHANNEL    = ("multiplier", "shift")  #: Operands of one or one a channel, the last axis.


def elements_of(case):
    """Iterator of dicts of ints; see ``Case.elements``."""
    if case.operation not in _OPERATIONS:
        raise ValueError(f"Outputs of {case.operation} of {case.dialect} need more than one "
                         f"element of each input")
    operands = operands_of(case)
    wide     = {name: value for name, value in operands.items() if np.ndim(value)}
    for name in _CHANNEL:
        if name in wide:
            wide[name] = _spread(wide[name], case.shape[-1])
    arrays = dict(zip(wide, np.broadcast_arrays(*wide.values()), strict=True))
    narrow = {name: int(value) for name, value in operands.items() if name not in wide}
    for values in zip(*(array.ravel().tolist() for array in arrays.values()), strict=True):
        yield narrow | dict(zip(arrays, values, strict=True))


def _spread(values, channels):
    """One value a channel, of as many as there are."""
    return [values[channel % len(values)] for channel in range(channels)]
