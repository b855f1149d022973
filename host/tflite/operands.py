# SPDX-License-Identifier: Apache-2.0
"""Allowed types and scales of an operator's inputs and outputs."""

from dataclasses import dataclass

from .codes import TENSOR_TYPE

__all__ = ["Operand", "Scales", "Signature"]


class Scales:
    """A tensor's required scale count."""

    ANY, ONE, CHANNELS = range(3)


@dataclass(frozen=True)
class Operand:
    """An operator input or output.

    Parameters
    ----------
    name : str
    types : tuple of TENSOR_TYPE
    scales : a ``Scales`` member
    optional, constant, variable : bool, whether it can be missing, must be a constant, must be a
        state
    absent : bool, whether it must be missing
    unread : bool, whether its elements are ignored
    index : bool, whether a constant belongs to the layer, and other elements are network data;
        indices, and weights of a matrix
    """

    name:     str
    types:    tuple = (TENSOR_TYPE.INT8, TENSOR_TYPE.INT16)
    scales:   int = Scales.ONE
    optional: bool = False
    constant: bool = False
    variable: bool = False
    absent:   bool = False
    unread:   bool = False
    index:    bool = False

    @property
    def is_value(self):
        """Whether it is network data, which a constant can replace."""
        return not (self.constant or self.variable or self.absent or self.unread)


@dataclass(frozen=True)
class Signature:
    """An operator's inputs, output and options.

    Parameters
    ----------
    inputs : tuple of Operand
    options : class from ``xymac.host.tflite.options``, or None
    output : Operand, or None
    title : str, its empty options' schema name
    many_inputs, many_outputs : bool, whether the last input or output can repeat
    """

    inputs:       tuple
    options:      type | None = None
    output:       Operand | None = Operand("output")
    title:        str = "NONE"
    many_inputs:  bool = False
    many_outputs: bool = False
