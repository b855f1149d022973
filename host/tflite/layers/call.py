# SPDX-License-Identifier: Apache-2.0
"""An operator and its tensors as xymac.golden.tflm objects."""

from dataclasses import dataclass
from math import isfinite

import numpy as np

from xymac.golden.tflm import Activation, Padding, Quantisation
from xymac.golden.tflm import Tensor as Array

from ..model import TYPES, Operator

__all__ = ["OperatorCall", "pairs_of", "quantisation_of"]


def quantisation_of(tensor):
    """A Model Tensor's Quantisation; None without scales, and for FLOAT32 and BOOL.

    An infinite scale of weights becomes 0: on x86 the library's factor is 0 for both.
    """
    if not tensor.scales or tensor.type.name in ("FLOAT32", "BOOL"):
        return None
    count = len(tensor.scales)
    zeros = tensor.zero_points if len(tensor.zero_points) == count else (
        tensor.zero_points[:1] or (0,)) * count
    return Quantisation(_finite(tensor.scales), zeros, tensor.dimension if count > 1 else -1)


def _finite(scales):
    return tuple(scale if isfinite(scale) else 0.0 for scale in scales)


@dataclass(frozen=True)
class OperatorCall:
    """A Model operator.

    Parameters
    ----------
    operator : Operator
    inputs : tuple of Model Tensor, None for a missing input
    outputs : tuple of Model Tensor
    """

    operator: Operator
    inputs:   tuple
    outputs:  tuple

    @property
    def options(self):
        """The operator's options."""
        return self.operator.options

    @property
    def out(self):
        """The first output's Quantisation."""
        return quantisation_of(self.outputs[0])

    @property
    def dtype(self):
        """The first output's numpy type."""
        return TYPES[self.outputs[0].type]

    @property
    def activation(self):
        """The operator's fused Activation."""
        return Activation(int(self.options.fused_activation_function))

    @property
    def padding(self):
        """The operator's Padding."""
        return Padding(int(self.options.padding))

    @property
    def stride(self):
        """(rows, columns) between windows, elements."""
        return self.options.stride_h, self.options.stride_w

    def has(self, place):
        """Whether the operator has input ``place``."""
        return place < len(self.inputs) and self.inputs[place] is not None

    def constant(self, place):
        """The constant input ``place`` with its scales."""
        tensor = self.inputs[place]
        return Array(tensor.data, quantisation_of(tensor))

    def bias(self, place):
        """Bias input ``place`` with only its first scale; None without a bias."""
        if not self.has(place):
            return None
        tensor = self.inputs[place]
        kind   = Quantisation(_finite(tensor.scales[:1]), (0,)) if tensor.scales else None
        return Array(tensor.data, kind)

    def numbers(self, place):
        """Constant input ``place``'s elements, a flat tuple of int."""
        return tuple(self.inputs[place].data.reshape(-1).tolist())

    def state(self, place):
        """Initial state for input ``place``."""
        tensor = self.inputs[place]
        fill   = tensor.zero_points[0] if tensor.type.name == "INT8" else 0
        return Array(np.full(tensor.shape, fill, TYPES[tensor.type]), quantisation_of(tensor))

    def refuse_option(self, name, wanted):
        """Raise ValueError unless option ``name`` is ``wanted``."""
        value = getattr(self.options, name)
        if value != wanted:
            shown, given = (getattr(each, "name", each) for each in (wanted, value))
            raise ValueError(f"{name} must be {shown}, not {given}")


def pairs_of(call, place, name):
    """The two-column constant input ``place`` as a tuple of pairs."""
    shape = call.inputs[place].shape
    if len(shape) != 2 or shape[1] != 2:
        raise ValueError(f"Its {name} must have shape (dimensions, 2), not {shape}")
    return tuple(map(tuple, call.inputs[place].data.tolist()))
