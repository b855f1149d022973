"""Inputs and outputs of an operator: which types and scales each may have."""

from dataclasses import dataclass

from .codes import TENSOR_TYPE

__all__ = ["Operand", "Scales", "Signature"]


class Scales:
    """How many scales a tensor must have, as numbers that a check looks up."""

    ANY, ONE, CHANNELS = range(3)


@dataclass(frozen=True)
class Operand:
    """One input or output of an operator.

    Parameters
    ----------
    name : str
    types : tuple of TENSOR_TYPE
    scales : of ``Scales``
    optional, constant, variable : bool, whether it may be missing, must be a constant, must be a
        state
    absent : bool, whether it must be missing
    unread : bool, whether its elements do not count
    """

    name:     str
    types:    tuple = (TENSOR_TYPE.INT8, TENSOR_TYPE.INT16)
    scales:   int = Scales.ONE
    optional: bool = False
    constant: bool = False
    variable: bool = False
    absent:   bool = False
    unread:   bool = False

    @property
    def is_value(self):
        """Whether it is data of the network, which a constant may stand for."""
        return not (self.constant or self.variable or self.absent or self.unread)


@dataclass(frozen=True)
class Signature:
    """What an operator takes and gives.

    Parameters
    ----------
    inputs : tuple of Operand
    options : class of ``host.tflite.options``, or None for an operator without
    output : Operand, None for an operator without
    title : str, of the empty options that the schema has for it
    many_inputs, many_outputs : bool, whether there are any number of the last one
    """

    inputs:       tuple
    options:      type | None = None
    output:       Operand | None = Operand("output")
    title:        str = "NONE"
    many_inputs:  bool = False
    many_outputs: bool = False
