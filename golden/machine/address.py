# SPDX-License-Identifier: Apache-2.0
"""Operand addresses and the padding clip, vectorised over the outputs of a pass."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import AguMode, Op

if TYPE_CHECKING:
    from xymac.hdl.isa import Access, Pass
    from xymac.hdl.isa.groups import Loop

__all__ = ["keeps_inside", "map_addresses", "offsets", "step_taps", "tap_indices", "valid_taps"]


def offsets(strides: tuple[int, ...],
            indices: np.ndarray | tuple[int | np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
    """Distance from the base address, in addresses: ``sum(index * stride)`` over three loops.

    Arrays of indices broadcast; the result has their common shape.
    """
    (first, second, third), (a, b, c) = strides, indices
    return a * first + b * second + c * third


@functools.lru_cache(maxsize=64)
def tap_indices(counts: tuple[int, ...]) -> np.ndarray:
    """Indices of the three inner loops ``i``, ``j``, ``k`` at every step: int64 [3, steps].

    Callers share the cached array and must not write to it.
    """
    return np.indices(counts).reshape(3, -1)


def step_taps(pass_: Pass) -> np.ndarray:
    """``tap_indices`` in execution order; a slide pass takes the kernel column by column."""
    indices = tap_indices(pass_.loop.taps)
    if pass_.accumulate.op is not Op.SLIDE:
        return indices
    return indices.reshape(3, *pass_.loop.taps).swapaxes(1, 2).reshape(3, -1)


def valid_taps(pass_: Pass, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Mask [outputs, steps]: True where the padding clip lets a step's tap read the image.

    ``b`` and ``c`` [outputs] are the outer loop indices along rows and columns. A slide pass reads
    only the last kernel column, except for the first output of a row, which reads all columns.
    """
    loop = pass_.loop
    if pass_.accumulate.op is Op.SLIDE:
        rows    = _inside(loop.rows, b, loop.taps[0])
        columns = (c == 0)[:, None] | (np.arange(loop.taps[1]) == loop.taps[1] - 1)
        return (columns[:, :, None] & rows[:, None, :]).reshape(len(b), -1)
    if (_stays_inside(loop.rows, b, loop.taps[0])
            and _stays_inside(loop.cols, c, loop.taps[1])):
        return np.ones((len(b), math.prod(loop.taps)), bool)
    rows    = _inside(loop.rows, b, loop.taps[0])
    columns = _inside(loop.cols, c, loop.taps[1])
    both    = rows[:, :, None] & columns[:, None, :]
    return np.repeat(both.reshape(len(b), -1), loop.taps[2], axis=1)


def _inside(axis, index, count):
    """Mask [outputs, taps]: True where a tap lies on the image along ``axis``."""
    position = (index * axis.step - axis.pad)[:, None] + np.arange(count)
    return (position >= 0) & (position < axis.size)


def _stays_inside(axis, indices, count):
    """Whether no tap of ``count`` reads padding along ``axis``, for output ``indices`` >= 0."""
    first, last = int(indices.min()) * axis.step, int(indices.max()) * axis.step
    return first >= axis.pad and last - axis.pad + count <= axis.size


def keeps_inside(access: Access, loop: Loop, span: int) -> bool:
    """Whether a linear access stays in its window at all loop indices; False for other modes.

    Each step covers ``span`` addresses.
    """
    if access.mode is not AguMode.LINEAR:
        return False
    first = last = access.base
    for count, stride in (*zip(loop.outer, access.outer, strict=True),
                          *zip(loop.taps, access.taps, strict=True)):
        if stride > 0:
            last += (count - 1) * stride
        else:
            first += (count - 1) * stride
    return access.low <= first and last + span <= access.high + 1


def map_addresses(access: Access, origin: tuple[int | np.ndarray, np.ndarray, np.ndarray],
                  steps: np.ndarray, span: int, *,
                  inside: bool = False) -> tuple[np.ndarray, np.ndarray | None]:
    """Addresses of all steps of many outputs; ``xymac.hdl.isa.AguMode`` defines the arithmetic.

    Parameters
    ----------
    origin : indices of the three outer loops: an int and two arrays [outputs]
    steps : int64 [steps], each step's distance from its output's origin, addresses
    span : int, addresses covered by each step
    inside : bool, the result of ``keeps_inside``; True skips the window checks

    Returns ``(addresses, faults)``: int64 [outputs, steps] with 0 at every fault, and the mask of
    accesses that leave the window, None without faults.
    """
    if inside:
        return (access.base + offsets(access.outer, origin))[:, None] + steps, None
    length = access.high - access.low + 1
    start  = access.base - access.low + offsets(access.outer, origin)
    if access.mode is AguMode.MODULO:
        relative  = (start % length)[:, None] + steps
        relative += length * ((relative < 0).astype(np.int64) - (relative >= length))
    else:
        relative = start[:, None] + steps
    if access.mode is not AguMode.BIT_REVERSED and (
            relative.min() >= 0 and relative.max() + span <= length):
        return access.low + relative, None
    good = (relative >= 0) & (relative < length)
    if access.mode is AguMode.BIT_REVERSED:
        relative = _reverse(np.where(good, relative, 0), length.bit_length() - 1)
    good &= relative + span <= length
    return np.where(good, access.low + relative, 0), ~good


def _reverse(value, bits):
    """Reverse the order of the ``bits`` lowest bits."""
    result = np.zeros_like(value)
    for bit in range(bits):
        result |= (value >> bit & 1) << bits - 1 - bit
    return result
