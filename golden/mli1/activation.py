"""Activation kernels: element by element, and softmax."""

from dataclasses import dataclass

import numpy as np

from golden.checks import check_kind
from golden.fixed import container
from golden.kinds import Relu
from golden.layer import LayerBase, run
from golden.parameters.mli1 import relu_limits, takes_larger
from golden.result import Result
from hdl.isa import RoundMode

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
    """What every activation has."""

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_input("Input", x)
        check_rounding(self.rounding)


@dataclass(frozen=True)
class Rectify(_Elementwise):
    """Clip to the limits of a Relu in the format of the input.

    Parameters
    ----------
    relu : Relu
    """

    relu: Relu

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_input("Input", x)
        check_kind("relu", self.relu, Relu)

    def run(self, x):
        """Result on the Tensor ``x``; see ``relu``."""
        limits = relu_limits(self.relu, x.frac_bits, x.bits)
        return _result(x, np.clip(x.data, *limits), x.frac_bits)


@dataclass(frozen=True)
class LeakyRelu(_Elementwise):
    """``x`` from 0 on, ``slope * x`` below; but see the slope of 15 fractional bits.

    The library takes the larger of ``x`` and ``slope * x`` if the slope is less than 1, else the
    smaller. It compares the slope with a 1 of 16 bits in the format of the slope. With 15
    fractional bits that 1 wraps to -1, and there are two behaviours:

    - the library's, the default: no slope is less than -1, so the output is the smaller of the two,
      ``slope * x`` above 0 and ``x`` below, the slope on the wrong side of 0;
    - the documented one, with ``documented=True``: the larger of the two, as every slope of 15
      fractional bits is less than 1.

    With any other number of fractional bits both are the same.

    Parameters
    ----------
    slope : Tensor with one element, of the type of the input
    documented : bool, whether a slope of 15 fractional bits is applied as documented
    rounding : RoundMode, of ``slope * x``
    """

    slope:      Tensor
    documented: bool = False
    rounding:   RoundMode = RoundMode.CONVERGENT

    @property
    def takes_larger(self):
        """Whether the output is the larger of ``x`` and ``slope * x``, else the smaller."""
        return takes_larger(self.slope, self.documented)

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        super().check(x)
        check_kind("slope", self.slope, Tensor)
        check_kind("documented", self.documented, bool)
        if self.slope.data.size != 1:
            raise ValueError(f"Slope must have 1 element, not {self.slope.data.size}")
        if self.slope.bits != x.bits:
            raise ValueError(f"Slope has {self.slope.bits} bits, input has {x.bits}")

    def run(self, x):
        """Result on the Tensor ``x``; see ``leaky_relu``."""
        data   = x.data.astype(np.int64)
        scaled = shift_round(data * self.slope.data.item(), self.slope.frac_bits, self.rounding,
                             container(x.bits))
        choose = np.maximum if self.takes_larger else np.minimum
        return _result(x, choose(data, scaled), x.frac_bits)


class _OfOne(_Elementwise):
    """What activations between -1 and 1 have: an output without integer bits."""

    def output_like(self, x):
        """Zeros in the format of the output."""
        return Tensor.zeros(x.shape, x.bits, x.bits - 1)


class _Lookup(_OfOne):
    """What activations by ``table`` alone have."""

    def run(self, x):
        """Result on the Tensor ``x``."""
        values = apply_table(self.table, x.data.astype(np.int64), x.frac_bits, x.bits,
                             self.rounding)
        return _result(x, values, x.bits - 1)


@dataclass(frozen=True)
class Sigmoid(_Lookup):
    """``1 / (1 + exp(-x))`` by table.

    Parameters
    ----------
    rounding : RoundMode
    """

    rounding: RoundMode = RoundMode.CONVERGENT

    table = SIGMOID


@dataclass(frozen=True)
class Tanh(_Lookup):
    """Hyperbolic tangent by table.

    Parameters
    ----------
    rounding : RoundMode
    """

    rounding: RoundMode = RoundMode.CONVERGENT

    table = TANH


@dataclass(frozen=True)
class Softmax(_OfOne):
    """``exp(x)`` over the sum of all ``exp(x)`` of the tensor.

    Parameters
    ----------
    rounding : RoundMode
    """

    rounding: RoundMode = RoundMode.CONVERGENT

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        super().check(x)
        if x.data.size > SOFTMAX_MAX:
            raise ValueError(f"Softmax takes at most {SOFTMAX_MAX} elements, not {x.data.size}")

    def run(self, x):
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


def relu(x, kind):
    """Clip to the limits of a Relu, fx8 or fx16.

    Parameters
    ----------
    x : Tensor of any shape
    kind : Relu

    Returns a Result with an output of the shape, dtype and fractional bits of ``x``; ValueError or
    TypeError for a call that ``Rectify.check`` refuses.
    Source: embARC MLI 1.1, kernels/transform, ``mli_krn_relu_*``.
    """
    return run(Rectify(kind), x)


def leaky_relu(x, slope, *, documented=False, rounding=RoundMode.CONVERGENT):
    """``x`` from 0 on, ``slope * x`` below, fx8 or fx16.

    A slope of 15 fractional bits acts above 0 in place of below, as it does in the library; with
    ``documented=True`` it acts below 0, as it does in the documents.

    Parameters
    ----------
    x : Tensor of any shape
    slope, documented, rounding : see ``LeakyRelu``

    Returns a Result with an output of the shape, dtype and fractional bits of ``x``; ValueError or
    TypeError for a call that ``LeakyRelu.check`` refuses.
    Source: embARC MLI 1.1, kernels/transform/mli_krn_leaky_relu_fx.cc, and for the wrapped 1
    private/mli_math.h.
    """
    return run(LeakyRelu(slope, documented, rounding), x)


def sigm(x, *, rounding=RoundMode.CONVERGENT):
    """``1 / (1 + exp(-x))``, fx8 or fx16.

    Parameters
    ----------
    x : Tensor of any shape
    rounding : RoundMode

    Returns a Result with an output of the shape and dtype of ``x`` and 7 or 15 fractional bits;
    ValueError or TypeError for a call that ``Sigmoid.check`` refuses.
    Source: embARC MLI 1.1, kernels/transform, ``mli_krn_sigm_*``; private/src/mli_prv_lut.cc.
    """
    return run(Sigmoid(rounding), x)


def tanh(x, *, rounding=RoundMode.CONVERGENT):
    """Hyperbolic tangent, fx8 or fx16.

    Parameters
    ----------
    x : Tensor of any shape
    rounding : RoundMode

    Returns a Result with an output of the shape and dtype of ``x`` and 7 or 15 fractional bits;
    ValueError or TypeError for a call that ``Tanh.check`` refuses.
    Source: embARC MLI 1.1, kernels/transform, ``mli_krn_tanh_*``; private/src/mli_prv_lut.cc.
    """
    return run(Tanh(rounding), x)


def softmax(x, *, rounding=RoundMode.CONVERGENT):
    """``exp(x)`` over the sum of all ``exp(x)``, fx8 or fx16.

    Parameters
    ----------
    x : Tensor of any shape, at most ``SOFTMAX_MAX`` elements
    rounding : RoundMode

    Returns a Result with an output of the shape and dtype of ``x`` and 7 or 15 fractional bits;
    ValueError or TypeError for a call that ``Softmax.check`` refuses.
    Source: embARC MLI 1.1, kernels/transform/mli_krn_softmax_fx.cc.
    """
    return run(Softmax(rounding), x)
