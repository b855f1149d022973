# SPDX-License-Identifier: Apache-2.0
"""Argument checks that the MLI 2.0 kernels share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.checks import check_ints, check_kind, check_rank

from .arithmetic import Build
from .tensor import Affine, Element, QuantTensor

if TYPE_CHECKING:
    from xymac.golden.formats import Format

__all__ = ["check_axis", "check_build", "check_elements", "check_format", "check_image",
           "check_linear", "check_whole"]

#: Supported element types of (input, weights, bias).
_TYPES = ((Element.FX_16, Element.FX_16, Element.FX_16),
          (Element.FX_16, Element.FX_8, Element.FX_8),
          (Element.SA_8, Element.SA_8, Element.SA_32))


def check_build(build: Build) -> None:
    """Raise TypeError unless ``build`` is a Build."""
    check_kind("build", build, Build)


def check_elements(name: str, tensor: QuantTensor, *elements: Element) -> None:
    """Raise unless ``tensor`` is a QuantTensor whose element type is in ``elements``."""
    check_kind(name, tensor, QuantTensor)
    if tensor.element not in elements:
        raise ValueError(f"{name} must be {' or '.join(kind.name for kind in elements)}, "
                         f"not {tensor.element.name}")


def check_whole(name: str, tensor: QuantTensor) -> None:
    """Raise ValueError if ``tensor`` has scales along a dimension."""
    if tensor.is_affine and tensor.affine.dim >= 0:
        raise ValueError(f"{name} must have one scale, not one along dimension "
                         f"{tensor.affine.dim}")


def check_format(name: str, kind: Format, element: Element) -> None:
    """Raise unless ``kind`` is a format for ``element`` with a single scale."""
    check_kind(name, kind, element.format)
    if isinstance(kind, Affine) and kind.dim >= 0:
        raise ValueError(f"{name} must have one scale, not one along dimension {kind.dim}")


def check_image(x: QuantTensor, *elements: Element) -> None:
    """Raise unless ``x`` is a QuantTensor with 3 dimensions and a single scale."""
    check_elements("Input", x, *elements)
    check_rank("Input", x, 3)
    check_whole("Input", x)


def check_axis(axis: int, x: QuantTensor) -> None:
    """Raise unless ``axis`` is a dimension of ``x``, or -1."""
    check_ints("axis", (axis,), 1)
    if not -1 <= axis < x.data.ndim:
        raise ValueError(f"axis must be between -1 and {x.data.ndim - 1}, not {axis}")


def check_linear(x: QuantTensor, weights: QuantTensor, bias: QuantTensor,
                 out: Format) -> None:
    """Raise unless a kernel with weights exists for these tensors and the output format."""
    for name, tensor in (("Input", x), ("Weights", weights), ("Bias", bias)):
        check_kind(name, tensor, QuantTensor)
    elements = (x.element, weights.element, bias.element)
    if elements not in _TYPES:
        names = ["/".join(element.name for element in types) for types in (*_TYPES, elements)]
        raise ValueError(f"Input, weights and bias must be {names[0]}, {names[1]} or {names[2]}, "
                         f"not {names[3]}")
    check_whole("Input", x)
    check_format("out", out, x.element)
    if weights.is_affine and len(set(weights.affine.zero_points)) > 1:
        raise ValueError(f"Weights must have one zero point, not {weights.affine.zero_points}")
