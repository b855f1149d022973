# SPDX-License-Identifier: Apache-2.0
"""Argument checks that the MLI 1.x kernels share."""

from __future__ import annotations

from xymac.golden.checks import check_kind, check_rank
from xymac.hdl.isa import ROUNDINGS, RoundMode

from .tensor import Tensor

__all__ = ["BIAS_SHIFT_MAX", "RANK_MAX", "check_bias", "check_image", "check_input",
           "check_rounding", "check_tensor", "check_types"]

BIAS_SHIFT_MAX = 31  #: With a 16-bit bias, bits; an 8-bit bias saturates and has no limit.
RANK_MAX       = 4   #: Largest tensor rank of the library.
#: Supported widths of (input, weights, bias), bits: fx8, fx16, fx8w16d.
_TYPES = ((8, 8, 8), (16, 16, 16), (16, 8, 8))


def check_tensor(name: str, tensor: Tensor) -> None:
    """Raise unless ``tensor`` is a Tensor with elements."""
    check_kind(name, tensor, Tensor)
    if 0 in tensor.shape:
        raise ValueError(f"{name} must not be empty, but has shape {tensor.shape}")


def check_input(name: str, tensor: Tensor) -> None:
    """Raise unless ``tensor`` is a Tensor with elements and at most ``RANK_MAX`` dimensions."""
    check_tensor(name, tensor)
    if tensor.data.ndim > RANK_MAX:
        raise ValueError(f"{name} must have at most {RANK_MAX} dimensions, "
                         f"not {tensor.data.ndim}")


def check_image(x: Tensor) -> None:
    """Raise unless ``x`` is a Tensor with elements and 3 dimensions."""
    check_tensor("Input", x)
    check_rank("Input", x, 3)


def check_rounding(rounding: RoundMode) -> None:
    """Raise unless ``rounding`` is a RoundMode that the library has."""
    check_kind("rounding", rounding, RoundMode)
    if rounding not in ROUNDINGS:
        raise ValueError(f"rounding must be {', '.join(mode.name for mode in ROUNDINGS)}, not "
                         f"{rounding.name}")


def check_types(x: Tensor, weights: Tensor, bias: Tensor) -> None:
    """Raise unless all three are non-empty Tensors with types that a weighted kernel supports."""
    for name, tensor in (("Input", x), ("Weights", weights), ("Bias", bias)):
        check_tensor(name, tensor)
    types = (x.bits, weights.bits, bias.bits)
    if types not in _TYPES:
        raise ValueError(f"Input, weights and bias must have {_TYPES[0]}, {_TYPES[1]} or "
                         f"{_TYPES[2]} bits, not {types}")


def check_bias(x: Tensor, weights: Tensor, bias: Tensor, outputs: tuple[int, ...]) -> None:
    """Raise ValueError unless ``bias`` has the shape ``outputs`` and can be aligned."""
    if bias.shape != outputs:
        raise ValueError(f"Bias must have shape {outputs}, one value per output, not {bias.shape}")
    shift = x.frac_bits + weights.frac_bits - bias.frac_bits
    if shift < 0:
        raise ValueError(f"Bias must have at most {shift + bias.frac_bits} fractional bits, those "
                         f"of input and weights together, not {bias.frac_bits}")
    if bias.bits == 16 and shift > BIAS_SHIFT_MAX:
        raise ValueError(f"A 16-bit bias can be shifted by at most {BIAS_SHIFT_MAX} bits, "
                         f"not {shift}")
