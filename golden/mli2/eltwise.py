# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 element-wise kernels on two tensors."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.fixed import saturate
from xymac.golden.formats import Format, as_affine
from xymac.golden.kinds import EltwiseOp
from xymac.golden.parameters.mli2.eltwise import extreme_scale, product_scale, sum_scales
from xymac.golden.result import Result

from .arithmetic import Build, cast, shift_round
from .checks import check_build, check_elements, check_format, check_whole
from .layer import Formatted
from .tensor import Element, QuantTensor

__all__ = ["Eltwise"]

_FUNCTIONS = {EltwiseOp.ADD: np.add, EltwiseOp.SUB: np.subtract, EltwiseOp.MIN: np.minimum,
              EltwiseOp.MAX: np.maximum, EltwiseOp.MUL: np.multiply}
_EXTREMES = (EltwiseOp.MIN, EltwiseOp.MAX)


def _fixed(layer, a, b):
    """FX operand values, int64."""
    mode, bits, op = layer.build.rounding, a.bits, layer.op
    x, y = a.centred.reshape(-1), b.centred.reshape(-1)
    a_frac, b_frac, out_frac = (kind.frac_bits for kind in (a.format, b.format, layer.out))
    if op in _EXTREMES:
        shift = min(a_frac - out_frac, bits - 1)
        return shift_round(_FUNCTIONS[op](x, y), shift, bits, mode)
    if op is EltwiseOp.MUL:
        return cast(x * y, min(a_frac + b_frac - out_frac, 2 * bits - 1), 64, bits, mode)
    x     = shift_round(x, min(a_frac - b_frac, 0), 32, mode)
    y     = shift_round(y, min(b_frac - a_frac, 0), 32, mode)
    shift = min(max(a_frac, b_frac) - out_frac, 2 * bits - 1)
    return cast(saturate(_FUNCTIONS[op](x, y), 32), shift, 64, bits, mode)


def _affine(layer, a, b):
    """SA_8 results in output units relative to the zero point, 16 bits."""
    mode, function = layer.build.rounding, _FUNCTIONS[layer.op]
    x, y = (saturate(tensor.centred.reshape(-1), 16) for tensor in (a, b))
    if layer.op is EltwiseOp.MUL:
        multiplier, early, shift = product_scale(layer, a, b)
        return cast(cast(x * y, early, 32, 16, mode) * multiplier, shift, 32, 16, mode)
    if layer.op in _EXTREMES:
        multiplier, shift = extreme_scale(layer, a)
        return cast(function(x * multiplier, y * multiplier), shift, 32, 16, mode)
    scaled = [shift_round(values * multiplier, shift, 32, mode) for values, (multiplier, shift)
              in zip((x, y), sum_scales(layer, a, b), strict=True)]
    return saturate(function(*scaled), 16)


@dataclass(frozen=True)
class Eltwise(Formatted):
    """Element-wise operation on two tensors, FX_8, FX_16 or SA_8.

    Source: embARC MLI 2.0, kernels/eltwise/impl/mli_krn_eltwise_ref.h.

    Parameters
    ----------
    op : EltwiseOp; MIN and MAX read both operands in the first operand's format
    out : Fixed or Affine, output format
    """

    op:    EltwiseOp
    out:   Format
    build: Build = Build.UP_REDUCED

    inputs = 2

    def output_shape(self, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape: the larger input's, or the second input's if the sizes are equal."""
        return tuple(a_shape if prod(a_shape) > prod(b_shape) else b_shape)

    def check(self, a: QuantTensor, b: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensors."""
        check_kind("op", self.op, EltwiseOp)
        check_build(self.build)
        for name, x in (("First input", a), ("Second input", b)):
            check_elements(name, x, Element.FX_8, Element.FX_16, Element.SA_8)
            check_whole(name, x)
        if a.element is not b.element:
            raise ValueError(f"First input is {a.element.name}, second input is {b.element.name}")
        if a.shape != b.shape and 1 not in (a.data.size, b.data.size):
            raise ValueError(f"First input has shape {a.shape}, second input has {b.shape}")
        if self.op in _EXTREMES and a.format != b.format:
            raise ValueError(f"First input has format {a.format}, second input has {b.format}")
        check_format("out", self.out, a.element)

    def run(self, a: QuantTensor, b: QuantTensor) -> Result:
        """Result on the QuantTensors ``a`` and ``b``."""
        if a.is_affine:
            zero   = as_affine(self.out).zero_points[0]
            values = saturate(saturate(_affine(self, a, b) + zero, 16), 8)
        else:
            values = _fixed(self, a, b)
        values = values.reshape(self.output_shape(a.shape, b.shape)).astype(a.data.dtype)
        return Result(QuantTensor(values, a.element, self.out), overflow=False)
