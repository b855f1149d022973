# SPDX-License-Identifier: Apache-2.0
"""Addresses and padding clips in a pass, for many outputs at once."""

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
    """Sum of ``index * stride`` over three loops, element by element."""
    (first, second, third), (a, b, c) = strides, indices
    return a * first + b * second + c * third


@functools.lru_cache(maxsize=64)
def tap_indices(counts: tuple[int, ...]) -> np.ndarray:
    """Indices for the three inner loops at every step: int64 [3, steps], read-only."""
    return np.indices(counts).reshape(3, -1)


def step_taps(pass_: Pass) -> np.ndarray:
    """``tap_indices`` for a pass; a slide pass goes through them column by column."""
    indices = tap_indices(pass_.loop.taps)
    if pass_.accumulate.op is not Op.SLIDE:
        return indices
    return indices.reshape(3, *pass_.loop.taps).swapaxes(1, 2).reshape(3, -1)


def valid_taps(pass_: Pass, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Mask [outputs, steps]: whether the tap lies on the image, for the outputs ``b``, ``c``.

    A slide pass reads only the last tap column, except for the first output in a row.
    """
    loop = pass_.loop
    if pass_.accumulate.op is Op.SLIDE:
        rows    = _inside(loop.rows, b, loop.taps[0])
        columns = (c == 0)[:, None] | (np.arange(loop.taps[1]) == loop.taps[1] - 1)
        return (columns[:, :, None] & rows[:, None, :]).reshape(len(b), -1)
    if _always_inside(loop) or (_stays_inside(loop.rows, b, loop.taps[0])
                                and _stays_inside(loop.cols, c, loop.taps[1])):
        return np.ones((len(b), math.prod(loop.taps)), bool)
    sides = []
    for axis, index, count in ((loop.rows, b, loop.taps[0]), (loop.cols, c, loop.taps[1])):
        sides.append(_inside(axis, index, count))
    both = sides[0][:, :, None] & sides[1][:, None, :]
    return np.repeat(both.reshape(len(b), -1), loop.taps[2], axis=1)


def _inside(axis, index, count):
    """Mask [outputs, taps]: whether the tap lies on the image along one axis."""
    position = (index * axis.step - axis.pad)[:, None] + np.arange(count)
    return (position >= 0) & (position < axis.size)


def _always_inside(loop):
    """Whether every tap of every output is inside."""
    return all(axis.pad <= 0 and (outputs - 1) * axis.step - axis.pad + taps <= axis.size
               for axis, outputs, taps in ((loop.rows, loop.outer[1], loop.taps[0]),
                                           (loop.cols, loop.outer[2], loop.taps[1])))


def _stays_inside(axis, indices, count):
    """Whether all ``count`` taps are inside for all ``indices``, which are not negative."""
    first, last = int(indices.min()) * axis.step, int(indices.max()) * axis.step
    return first >= axis.pad and last - axis.pad + count <= axis.size


def keeps_inside(access: Access, loop: Loop, span: int) -> bool:
    """Whether a linear access, of ``span`` addresses at each index of all loops, leaves its window
    nowhere; False for other modes.
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
    """Addresses for all steps from all origins, as ``xymac.hdl.isa.AguMode`` defines them.
    origin : indices for the three outer loops: an int, and two arrays [outputs]
    steps : int64 [steps], distance from the origin, addresses
    span : int, addresses that one access covers
    inside : bool, whether the access leaves its window nowhere, see ``keeps_inside``

    Returns the addresses, int64 [outputs, steps], with 0 at a faulty access; and a mask for the
    faulty accesses, None if there are none.
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
    """Reverse the lowest ``bits`` bits."""
    result = np.zeros_like(value)
    for bit in range(bits):
        result |= (value >> bit & 1) << bits - 1 - bit
    return result
