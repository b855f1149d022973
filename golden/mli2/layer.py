# SPDX-License-Identifier: Apache-2.0
"""Base classes for the MLI 2.0 layers: the output format."""

from __future__ import annotations

from xymac.golden.formats import Format
from xymac.golden.layer import LayerBase

from .arithmetic import Build
from .tensor import QuantTensor

__all__ = ["Formatted", "QuantLayer", "Weighted"]


class QuantLayer(LayerBase):
    """A layer whose output has the first input's element type."""

    def output_format(self, x: QuantTensor) -> Format:
        """Output format: the first input's."""
        return x.format

    def output_like(self, *x: QuantTensor) -> QuantTensor:
        """Zeros in the output format."""
        shape = self.output_shape(*(tensor.shape for tensor in x))
        return QuantTensor.zeros(shape, x[0].element, self.output_format(x[0]))


class Formatted(QuantLayer):
    """A layer with a field ``out``, its output format."""

    out: Format

    def output_format(self, x: QuantTensor) -> Format:
        """Output format: ``out``, or the first input's if ``out`` is None."""
        return x.format if self.out is None else self.out


class Weighted(Formatted):
    """A layer with weights, a bias and an output format."""

    weights: QuantTensor
    bias:    QuantTensor
    build:   Build

    def data_type(self, x: QuantTensor) -> str:
        """Input, weight and bias types as the library's function names spell them."""
        names = [tensor.type_name for tensor in (x, self.weights, self.bias)]
        return "_".join(names if len({*names}) > 1 else {*names})
