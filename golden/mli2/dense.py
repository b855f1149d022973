# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 fully connected kernels."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_kind, check_rank
from xymac.golden.fixed import matmul, saturate
from xymac.golden.formats import as_fixed
from xymac.golden.kinds import Relu, WorkUnit
from xymac.golden.result import Result

from .arithmetic import Build, cast, shift_round
from .checks import check_build, check_linear, check_whole
from .layer import Formatted, Weighted
from .limits import check_relu
from .linear import add_bias, finish, output_scaling
from .tensor import Affine, Fixed, QuantTensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xymac.golden.formats import Format


__all__ = ["FullyConnected", "RnnDense", "check_matrix", "dense_part", "dense_sum"]


def check_matrix(x: QuantTensor, weights: QuantTensor, outputs: tuple[int, ...]) -> None:
    """Raise ValueError unless ``weights`` is a matrix from ``x`` to a shape ``outputs``."""
    check_rank("Weights", weights, 2)
    if weights.shape[0] != x.data.size:
        raise ValueError(f"Weights have {weights.shape[0]} inputs, input has {x.data.size} "
                         f"elements")
    if outputs != weights.shape[1:]:
        raise ValueError(f"Bias must have shape {weights.shape[1:]}, one value per output, "
                         f"not {outputs}")


def _sums(x, weights):
    return matmul(x.centred.reshape(1, -1), weights.centred)[0]


def dense_part(x: QuantTensor, weights: QuantTensor, bias: QuantTensor, out: Format,
               build: Build) -> tuple[np.ndarray, bool]:
    """Product of one input and its matrix, plus a bias, in the units of ``out`` relative to its
    zero point, int64 [outputs]; and whether a sum left the accumulator.
    """
    acc, overflow = add_bias(_sums(x, weights), x, weights, bias, build)
    if isinstance(out, Affine):
        scaling = output_scaling(x, weights, out, build)
        return cast(acc * scaling.multiplier, np.minimum(scaling.shift, 63), 64, 32,
                    build.rounding), overflow
    shift = x.fixed.frac_bits + weights.fixed.frac_bits - as_fixed(out).frac_bits
    return shift_round(acc, shift, 64 if weights.bits == 16 else 32, build.rounding), overflow


def dense_sum(inputs: tuple[QuantTensor, ...], weights: Sequence[QuantTensor], bias: QuantTensor,
              out: Format, build: Build, part: Callable[..., tuple[np.ndarray, bool]] = dense_part,
              ) -> tuple[np.ndarray, bool]:
    """Output data for an ``RnnDense``, and whether a sum left the accumulator; ``part`` is
    ``dense_part`` or a function in its place.
    """
    total, overflow = np.zeros((), np.int64), False
    bits = 64 if weights[0].bits == 16 else 32
    for number, (x, matrix) in enumerate(zip(inputs, weights, strict=True)):
        start = bias if number == 0 else QuantTensor(np.zeros_like(bias.data), bias.element,
                                                     bias.format)
        added, left = part(x, matrix, start, out, build)
        overflow |= left
        total = saturate(total + added, bits)
    if isinstance(out, Affine):
        total = saturate(saturate(total, 16) + out.zero_points[0], 16)
    return saturate(total, inputs[0].bits), overflow


@dataclass(frozen=True)
class FullyConnected(Weighted):
    """Product of the flattened input and a matrix, FX_16, FX_16 with FX_8 weights, or SA_8.

    Source: embARC MLI 2.0, kernels/common, ``mli_krn_fully_connected_*``.

    Parameters
    ----------
    weights : QuantTensor, shape (inputs, outputs); SA_8 weights have one zero point
    bias : QuantTensor, shape (outputs,); an SA_32 bias has the scale input * weights
    out : Fixed or Affine, output format
    """

    weights: QuantTensor
    bias:    QuantTensor
    out:     Fixed | Affine
    relu:    Relu = Relu.NONE
    build:   Build = Build.UP_REDUCED

    work_unit = WorkUnit.PRODUCTS

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape; it does not depend on the input shape."""
        return self.weights.shape[1:]

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Product count: the weight count."""
        return prod(self.weights.shape)

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        check_linear(x, self.weights, self.bias, self.out)
        check_build(self.build)
        check_relu(self.relu, self.out)
        check_matrix(x, self.weights, self.bias.shape)
        if self.weights.is_affine and self.weights.affine.dim == 0:
            raise ValueError("Scales of weights must be along dimension 1, not 0")

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``."""
        return finish(self, x, _sums(x, self.weights), self.relu)


@dataclass(frozen=True)
class RnnDense(Formatted):
    """Sum over several inputs' products with their matrices, as in a recurrent cell.

    Each product is rounded to the output format before the products are added; the first includes
    the bias.
    Source: embARC MLI 2.0, bricks/impl/mli_krn_rnn_dense_op_ref.h, ``mli_krn_rnn_dense_*``.

    Parameters
    ----------
    weights : tuple of QuantTensor, shape (input elements, outputs), one scale
    bias : QuantTensor, shape (outputs,); an SA_32 bias has the scale first input * first weights
    out : Fixed or Affine, output format
    """

    weights: tuple[QuantTensor, ...]
    bias:    QuantTensor
    out:     Fixed | Affine
    build:   Build = Build.UP_REDUCED

    inputs = None

    def output_shape(self, *x_shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape; it does not depend on the input shape."""
        return self.bias.shape

    def check(self, *inputs: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensors."""
        check_kind("weights", self.weights, tuple)
        check_build(self.build)
        if len(inputs) != len(self.weights):
            raise ValueError(f"There are {len(self.weights)} weights for {len(inputs)} inputs")
        for x, weights in zip(inputs, self.weights, strict=True):
            check_linear(x, weights, self.bias, self.out)
            check_whole("Weights", weights)
            check_matrix(x, weights, self.bias.shape)

    def run(self, *inputs: QuantTensor) -> Result:
        """Result on the QuantTensors ``inputs``."""
        values, overflow = dense_sum(inputs, self.weights, self.bias, self.out, self.build)
        element = inputs[0].element
        return Result(QuantTensor(values.astype(element.dtype), element, self.out), overflow)

