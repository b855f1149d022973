# SPDX-License-Identifier: Apache-2.0
"""Argument checks that the TensorFlow Lite operators share."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_ints, check_kind, check_rank
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.parameters.tflm.ranges import activation_range

from .tensor import Quantisation, Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

__all__ = ["check_activation", "check_dtype", "check_factors", "check_flag", "check_image",
           "check_most", "check_out", "check_quotients", "check_scaled", "check_steps",
           "check_types", "check_whole", "check_zero"]

_LARGE = 1000  #: Exponent that represents an infinite factor.
_FUSED = (Activation.NONE, Activation.RELU, Activation.RELU_N1_TO_1, Activation.RELU6)


def check_types(name: str, tensor: Tensor, *types: str) -> None:
    """Raise unless ``tensor`` is a Tensor and its type name is in ``types``."""
    check_kind(name, tensor, Tensor)
    if tensor.type_name not in types:
        raise ValueError(f"{name} must be {' or '.join(types)}, not {tensor.type_name}")


def check_quotients(quotients: np.ndarray) -> None:
    """Raise ValueError unless ``quotients``, elements by the output scale, fit 32-bit integers."""
    if np.isnan(quotients).any():
        raise ValueError("Every element must be a number, not NaN")
    largest = np.abs(quotients).max()
    if not largest < 2.0 ** 31:
        raise ValueError(f"Every element must be less than 2**31 steps of the output's scale, "
                         f"not {largest:g}")


def check_whole(name: str, tensor: Tensor) -> None:
    """Raise ValueError unless ``tensor`` has a single scale."""
    if tensor.quantisation is None:
        raise ValueError(f"{name} must have a scale, but has none")
    if tensor.scaling.axis >= 0:
        raise ValueError(f"{name} must have one scale, not one along dimension "
                         f"{tensor.scaling.axis}")


def check_scaled(name: str, tensor: Tensor, *types: str) -> None:
    """Raise unless ``tensor`` is a Tensor with a type in ``types`` and a single scale."""
    check_types(name, tensor, *types)
    check_whole(name, tensor)


def check_zero(name: str, kind: Quantisation) -> None:
    """Raise ValueError unless all Quantisation zero points are 0."""
    for value in kind.zero_points:
        if value:
            raise ValueError(f"{name} must have zero point 0, not {value}")


def check_out(out: Quantisation | None, dtype: npt.DTypeLike) -> None:
    """Raise unless ``out`` is a Quantisation with a single positive scale for the output type
    ``dtype``.
    """
    check_kind("out", out, Quantisation)
    assert out is not None
    if out.axis >= 0:
        raise ValueError(f"out must have one scale, not one along dimension {out.axis}")
    if not out.scale:
        raise ValueError("Scale of out must be more than 0, not 0.0")
    limits = np.iinfo(dtype)
    if not limits.min <= out.zero_point <= limits.max:
        raise ValueError(f"Zero point of out must be between {limits.min} and {limits.max}, "
                         f"not {out.zero_point}")


def check_activation(activation: Activation, out: Quantisation, dtype: npt.DTypeLike) -> None:
    """Raise unless ``activation`` is a limiting Activation whose limits fit the Quantisation
    ``out``.
    """
    check_kind("activation", activation, Activation)
    if activation not in _FUSED:
        raise ValueError(f"activation must be {', '.join(kind.name for kind in _FUSED[:-1])} or "
                         f"{_FUSED[-1].name}, not {activation.name}")
    activation_range(activation, out.scale, out.zero_point, 8 * np.dtype(dtype).itemsize)


def check_dtype(name: str, dtype: npt.DTypeLike | None) -> None:
    """Raise TypeError unless numpy knows ``dtype`` as an element type."""
    try:
        np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{name} must be an element type of numpy, not {dtype!r}") from None


def check_flag(name: str, value: bool) -> None:
    """Raise TypeError unless ``value`` is a bool."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a bool, not {type(value).__name__}")


def check_factors(factors: Sequence[tuple[int, ...]], most: int) -> None:
    """Raise ValueError unless the exponents in ``factors``, pairs, are ``most`` at most."""
    for multiplier, exponent in factors:
        if exponent > most:
            factor = multiplier * 2.0 ** (exponent - 31) if exponent < _LARGE else inf
            raise ValueError(f"Scales must make a factor less than {1 << most}, not {factor:g}")


def check_image(x: Tensor) -> None:
    """Raise unless ``x`` is a Tensor with 4 dimensions, INT8 or INT16, and a single scale."""
    check_types("Input", x, "INT8", "INT16")
    check_rank("Input", x, 4)
    check_whole("Input", x)


def check_most(name: str, x: Tensor, count: int) -> None:
    """Raise ValueError if a Tensor has more than ``count`` dimensions."""
    if x.data.ndim > count:
        raise ValueError(f"{name} must have at most {count} dimensions, not {x.data.ndim}")


def check_steps(name: str, values: tuple[int, ...]) -> None:
    """Raise unless ``values`` are two ints, at least 1."""
    check_ints(name, values, 2)
    if min(values) < 1:
        raise ValueError(f"{name} must be at least 1, not {min(values)}")
    if max(values) >> 31:
        raise ValueError(f"{name} must be less than 2**31, not {max(values)}")
