# SPDX-License-Identifier: Apache-2.0
"""A library function call, for all versions: its arguments and its layer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any

from .rules import UnsupportedCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from xymac.golden.array import Array
    from xymac.golden.layer import LayerBase
    from xymac.hdl.isa import RoundMode

    from .grammar import Name

__all__ = ["Call"]


class Call(ABC):
    """A library function call: named arguments, and the layer it computes.
    arguments : dict, each entry becomes an attribute
    """

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            """Argument value."""

    def __init__(self, name: Name, rounding: RoundMode, arguments: dict[str, Any]) -> None:
        self.name, self.rounding = name, rounding
        vars(self).update(arguments)

    @property
    @abstractmethod
    def builders(self) -> dict[str, Callable]:
        """Functions from the call to a layer, by primitive."""

    @property
    @abstractmethod
    def operands(self) -> tuple[Array, ...]:
        """Layer inputs, golden-model Arrays."""

    @property
    def first(self) -> Any:
        """The call's first input."""
        inputs = (getattr(self, argument, None) for argument in ("in_", "in1"))
        return next((tensor for tensor in inputs if tensor is not None), None) or self.inputs[0]

    @property
    def stride(self) -> tuple[int, int]:
        """Rows and columns from window to window."""
        return index(self.cfg.stride_height), index(self.cfg.stride_width)

    @property
    def pad(self) -> tuple[int, ...]:
        """Padding at the top, bottom, left and right."""
        cfg = self.cfg
        return tuple(map(index, (cfg.padding_top, cfg.padding_bottom, cfg.padding_left,
                                 cfg.padding_right)))

    @cached_property
    def layer(self) -> LayerBase:
        """Golden-model layer; UnsupportedCall if the golden model refuses the call."""
        try:
            layer = self.builders[self.name.primitive](self)
            layer.check(*self.operands)
        except (OverflowError, TypeError, ValueError) as error:
            raise UnsupportedCall(str(error)) from None
        return layer

    @cached_property
    def output_shape(self) -> tuple[int, ...]:
        """Output shape."""
        return self.layer.output_shape(*(x.shape for x in self.operands))
