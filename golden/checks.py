# SPDX-License-Identifier: Apache-2.0
"""Argument checks shared by the kernels; each error names quantity, limit and value."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .array import Array

__all__ = ["check_ints", "check_kind", "check_rank", "check_windows"]


def check_kind(name: str, value: object, kind: type) -> None:
    """Raise TypeError unless ``value`` is an instance of ``kind``; ``name`` begins the message."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOUaeiou" else "a"
        raise TypeError(f"{name} must be {article} {kind.__name__}, not {type(value).__name__}")


def check_rank(name: str, tensor: Array, rank: int) -> None:
    """Raise ValueError unless ``tensor`` has ``rank`` dimensions."""
    if tensor.data.ndim != rank:
        raise ValueError(f"{name} must have {rank} dimensions, not {tensor.data.ndim}")


def check_ints(name: str, values: tuple[object, ...], count: int | None = None) -> None:
    """Raise TypeError unless ``values`` is a tuple of ints: ``count`` of them, or any number."""
    if (not isinstance(values, tuple) or count not in (None, len(values))
            or any(isinstance(value, bool) or not isinstance(value, int) for value in values)):
        ints = "ints" if count is None else f"{count} ints"
        raise TypeError(f"{name} must be a tuple of {ints}, not {values!r}")


def check_windows(kernel: tuple[int, ...], stride: tuple[int, ...], pad: tuple[int, ...],
                  sizes: tuple[int, ...]) -> None:
    """Raise ValueError if a window may lie entirely on the padding, or if there is no window.

    Accepted: strides from 1, padding from 0 and less than the kernel, and a kernel no larger than
    the padded image.

    Parameters
    ----------
    kernel, stride, sizes : (rows, columns), elements; ``sizes`` are the image's
    pad : (top, bottom, left, right), elements
    """
    for axis, name in enumerate(("rows", "columns")):
        size, step = kernel[axis], stride[axis]
        if step < 1:
            raise ValueError(f"Stride along {name} must be at least 1, not {step}")
        pads = pad[2 * axis:2 * axis + 2]
        for side in pads:
            if not 0 <= side < size:
                raise ValueError(f"Padding of {name} must be between 0 and {size - 1}, less "
                                 f"than the kernel, not {side}")
        if size > sizes[axis] + sum(pads):
            raise ValueError(f"Kernel has {size} {name}, the padded input only "
                             f"{sizes[axis] + sum(pads)}")
