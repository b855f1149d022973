# SPDX-License-Identifier: Apache-2.0
"""Activation kernels: element by element, and softmax."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.fixed import container
from xymac.golden.kinds import Relu
from xymac.golden.layer import LayerBase, run
from xymac.golden.parameters.mli1 import relu_limits, takes_larger
from xymac.golden.result import Result
from xymac.golden.table import Table
from xymac.hdl.isa import RoundMode

from .arithmetic import shift_round
from .checks import check_input, check_rounding
from .lut import EXP, SIGMOID, TANH, apply_table
from .tensor import Tensor

__all__ = ["SOFTMAX_MAX", "LeakyRelu", "Rectify", "Sigmoid", "Softmax", "Tanh", "leaky_relu",
           "relu", "sigm", "softmax", "tanh"]

SOFTMAX_MAX = 1 << 16  #: Elements whose exponentials, each below 2**15, add up to below 2**31.


def _result(x, values, frac_bits):
    return Result(Tensor(np.asarray(values).astype(x.data.dtype), frac_bits), overflow=False)


class _Elementwise(LayerBase):
    """Base for the activations: one input, an output with the input's shape."""

    rounding: RoundMode

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_input("Input", x)
        check_rounding(self.rounding)


@dataclass(frozen=True)
class Rectify(_Elementwise):
    """Clip to the limits that a Relu sets; the output keeps the input format."""

    relu: Relu

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_input("Input", x)
        check_kind("relu", self.relu, Relu)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``relu``."""
        limits = relu_limits(self.relu, x.frac_bits, x.bits)
        return _result(x, np.clip(x.data, *limits), x.frac_bits)


@dataclass(frozen=True)
class LeakyRelu(_Elementwise):
    """``x`` for ``x >= 0``, ``slope * x`` below; a slope with 15 fractional bits is an exception.

    The library takes the larger of ``x`` and ``slope * x`` if the slope is less than 1, else the
    smaller. It compares the slope with a 16-bit 1 in the slope's format. With 15 fractional
    bits that 1 wraps to -1, and there are two behaviours:

    - the library's, the default: no slope is less than -1, so the output is the smaller value:
      ``slope * x`` above 0 and ``x`` below;
    - the documented behaviour, with ``documented=True``: the output is the larger value, as every
      slope with 15 fractional bits is less than 1.

    With any other fractional bit count both behaviours agree.

    Parameters
    ----------
    slope : Tensor with one element, in the input type
    documented : bool, whether a slope with 15 fractional bits acts as documented
    rounding : RoundMode for ``slope * x``
    """

    slope:      Tensor
    documented: bool = False
    rounding:   RoundMode = RoundMode.CONVERGENT

    @property
    def takes_larger(self) -> bool:
        """Whether the output is the larger of ``x`` and ``slope * x``, else the smaller."""
        return takes_larger(self.slope, self.documented)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        super().check(x)
        check_kind("slope", self.slope, Tensor)
        check_kind("documented", self.documented, bool)
        if self.slope.data.size != 1:
            raise ValueError(f"Slope must have 1 element, not {self.slope.data.size}")
        if self.slope.bits != x.bits:
            raise ValueError(f"Slope has {self.slope.bits} bits, input has {x.bits}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``leaky_relu``."""
        data   = x.data.astype(np.int64)
        scaled = shift_round(data * self.slope.data.item(), self.slope.frac_bits, self.rounding,
                             container(x.bits))
        choose = np.maximum if self.takes_larger else np.minimum
        return _result(x, choose(data, scaled), x.frac_bits)


class _OfOne(_Elementwise):
    """Base for the activations with outputs between -1 and 1: all output bits but the sign are
    fractional.
    """

    def output_like(self, x: Tensor) -> Tensor:
        """Zeros in the output format."""
        return Tensor.zeros(x.shape, x.bits, x.bits - 1)


class _Lookup(_OfOne):
    """Base for the activations that only read ``table``."""

    table: Table

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        values = apply_table(self.table, x.data.astype(np.int64), x.frac_bits, x.bits,
                             self.rounding)
        return _result(x, values, x.bits - 1)


@dataclass(frozen=True)
class Sigmoid(_Lookup):
    """``1 / (1 + exp(-x))`` by table."""

    rounding: RoundMode = RoundMode.CONVERGENT

    table = SIGMOID


@dataclass(frozen=True)
class Tanh(_Lookup):
    """Hyperbolic tangent by table."""

    rounding: RoundMode = RoundMode.CONVERGENT

    table = TANH


@dataclass(frozen=True)
class Softmax(_OfOne):
    """``exp(x)`` divided by the sum of ``exp(x)`` over the tensor."""

    rounding: RoundMode = RoundMode.CONVERGENT

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        super().check(x)
        if x.data.size > SOFTMAX_MAX:
            raise ValueError(f"Softmax takes at most {SOFTMAX_MAX} elements, not {x.data.size}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``softmax``."""
        data = x.data.astype(np.int64)
        below, frac_bits = data - data.max(), x.frac_bits
        if below.min() < container(x.bits)[0]:  # Halves fit the container.
            below, frac_bits = (data >> 1) - (data.max() >> 1), frac_bits - 1
        powers   = apply_table(EXP, below, frac_bits, x.bits, self.rounding)
        total    = powers.sum()
        places   = int(total).bit_length() - 1
        mantissa = shift_round(total, places - 14, self.rounding, container(16))
        inverse  = min((1 << 29) // int(mantissa), container(16)[1])
        values   = shift_round(powers * inverse, places + 16 - x.bits, self.rounding,
                               container(x.bits))
        return _result(x, values, x.bits - 1)


def relu(x: Tensor, kind: Relu) -> Result:
    """Clip to the limits that a Relu sets, fx8 or fx16.

    Parameters
    ----------
    x : Tensor of any shape

    Returns a Result; its output has the shape, dtype and fractional bits of ``x``. ValueError or
    TypeError if ``Rectify.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/transform, ``mli_krn_relu_*``.
    """
    return run(Rectify(kind), x)


def leaky_relu(x: Tensor, slope: Tensor, *, documented: bool = False,
               rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """``x`` for ``x >= 0``, ``slope * x`` below, fx8 or fx16.

    A slope with 15 fractional bits acts above 0 instead of below, as in the library; with
    ``documented=True`` it acts below 0, as in the library's documents.

    Parameters
    ----------
    x : Tensor of any shape
    slope, documented, rounding : see ``LeakyRelu``

    Returns a Result; its output has the shape, dtype and fractional bits of ``x``. ValueError or
    TypeError if ``LeakyRelu.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/transform/mli_krn_leaky_relu_fx.cc; private/mli_math.h (wrapped
    1).
    """
    return run(LeakyRelu(slope, documented, rounding), x)


def sigm(x: Tensor, *, rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """``1 / (1 + exp(-x))``, fx8 or fx16.

    Parameters
    ----------
    x : Tensor of any shape

    Returns a Result; its output has the shape and dtype of ``x`` and 7 or 15 fractional bits.
    ValueError or TypeError if ``Sigmoid.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/transform, ``mli_krn_sigm_*``; private/src/mli_prv_lut.cc.
    """
    return run(Sigmoid(rounding), x)


def tanh(x: Tensor, *, rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """Hyperbolic tangent, fx8 or fx16.

    Parameters
    ----------
    x : Tensor of any shape

    Returns a Result; its output has the shape and dtype of ``x`` and 7 or 15 fractional bits.
    ValueError or TypeError if ``Tanh.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/transform, ``mli_krn_tanh_*``; private/src/mli_prv_lut.cc.
    """
    return run(Tanh(rounding), x)


def softmax(x: Tensor, *, rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """``exp(x)`` divided by the sum of ``exp(x)`` over the tensor, fx8 or fx16.

    Parameters
    ----------
    x : Tensor of any shape, at most ``SOFTMAX_MAX`` elements

    Returns a Result; its output has the shape and dtype of ``x`` and 7 or 15 fractional bits.
    ValueError or TypeError if ``Softmax.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/transform/mli_krn_softmax_fx.cc.
    """
    return run(Softmax(rounding), x)
