"""Exact models of the kernels, a wing for each library, and one way to run them."""

from . import mli1, mli2, xs3

__all__ = ["run"]

_KERNELS = {**mli1.KERNELS, **mli2.KERNELS, **xs3.KERNELS}
_ANY_NUMBER = mli1.Concat, mli2.Concat  #: Kinds that take any number of inputs.
_INPUTS = {**mli1.INPUTS, **mli2.INPUTS, **xs3.INPUTS}  #: Where it is not 1.


def run(layer, *inputs):
    """Apply ``layer`` (constants of a kernel call) to Tensors, or to Integers; returns a Result.

    TypeError for an unknown kind of layer or a wrong number of inputs; TypeError or ValueError for
    what its ``check`` refuses.
    """
    kind = type(layer)
    if kind not in _KERNELS:
        raise TypeError(f"Layer must be one of {', '.join(kind.__name__ for kind in _KERNELS)}, "
                        f"not {kind.__name__}")
    expected = len(inputs) if kind in _ANY_NUMBER else _INPUTS.get(kind, 1)
    if len(inputs) != expected:
        raise TypeError(f"Inputs of {kind.__name__} must be {expected}, not {len(inputs)}")
    return _KERNELS[kind](layer, *inputs)
