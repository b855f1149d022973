# SPDX-License-Identifier: Apache-2.0
"""A call of a library function, for all versions: its arguments and its layer."""

from abc import ABC, abstractmethod
from functools import cached_property
from operator import index

from .rules import Refusal

__all__ = ["Call"]


class Call(ABC):
    """A call of a library function: named arguments, and the layer it computes.

    Parameters
    ----------
    name : Name
    rounding : RoundMode
    arguments : dict, each entry becomes an attribute
    """

    def __init__(self, name, rounding, arguments):
        self.name, self.rounding = name, rounding
        vars(self).update(arguments)

    @property
    @abstractmethod
    def builders(self):
        """Functions from the call to a layer, by primitive."""

    @property
    @abstractmethod
    def operands(self):
        """Layer inputs, Arrays of the golden model."""

    @property
    def first(self):
        """First input of the call."""
        inputs = (getattr(self, argument, None) for argument in ("in_", "in1"))
        return next((tensor for tensor in inputs if tensor is not None), None) or self.inputs[0]

    @property
    def stride(self):
        """Rows and columns from window to window."""
        return index(self.cfg.stride_height), index(self.cfg.stride_width)

    @property
    def pad(self):
        """Padding at the top, bottom, left and right."""
        cfg = self.cfg
        return tuple(map(index, (cfg.padding_top, cfg.padding_bottom, cfg.padding_left,
                                 cfg.padding_right)))

    @cached_property
    def layer(self):
        """Layer of the golden model; Refusal if the golden model refuses the call."""
        try:
            layer = self.builders[self.name.primitive](self)
            layer.check(*self.operands)
        except (OverflowError, TypeError, ValueError) as error:
            raise Refusal(str(error)) from None
        return layer

    @cached_property
    def output_shape(self):
        """Output shape."""
        return self.layer.output_shape(*(x.shape for x in self.operands))
