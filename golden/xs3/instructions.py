# SPDX-License-Identifier: Apache-2.0
"""XS3 unit vector instructions, on integer arrays.

``bits`` is the unit's mode, its element width: 8, 16 or 32. Operands include -2**(bits - 1);
results saturate to a symmetric range. Element-wise instructions accept arrays of any shape, so a
kernel can compute all its outputs at once.
Source: lib_xcore_math, src/arch/ref/vpu_scalar_ops.c, and lib_nn, src/c/vpu_sim.c. Where they
differ, this module follows the unit behaviour that the lib_xcore_math tests require.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ACC_BITS", "LANES", "SHIFT_MAX", "check_shifts", "saturate", "shift_round", "vdepth1",
           "vdepth8", "vdepth16", "vladd", "vlashr", "vlmacc", "vlmaccr", "vlmaccr1", "vlmul",
           "vlsat", "vlsub", "vpos"]


@dataclass(frozen=True)
class _Mode:
    """Constants for a unit mode.

    Parameters
    ----------
    elements : int, elements in a 256-bit vector
    lanes : int, accumulator count
    acc_bits : int, accumulator width
    product_shift : int, bits dropped from a product before accumulation, with rounding
    fraction : int, fractional bits of a VLMUL factor
    """

    elements:      int
    lanes:         int
    acc_bits:      int
    product_shift: int
    fraction:      int


_MODES = {8:  _Mode(elements=32, lanes=16, acc_bits=32, product_shift=0,  fraction=6),
          16: _Mode(elements=16, lanes=16, acc_bits=32, product_shift=0,  fraction=14),
          32: _Mode(elements=8,  lanes=8,  acc_bits=40, product_shift=30, fraction=30)}
ACC_BITS  = _MODES[8].acc_bits   #: Accumulator width of the 8-bit and 16-bit kernels.
LANES     = _MODES[8].lanes      #: Number of accumulators: output channels per block.
SHIFT_MAX = ACC_BITS - 1         #: Largest shift of a 32-bit accumulator, bits.


def _mode(bits):
    if bits not in _MODES:
        raise ValueError(f"Mode must be 8, 16 or 32 bits, not {bits!r}")
    return _MODES[bits]


def saturate(x: np.ndarray, bits: int) -> np.ndarray:
    """Clamp ``x`` to plus or minus ``2**(bits-1) - 1``."""
    highest = (1 << bits - 1) - 1
    return np.clip(x, -highest, highest)


def shift_round(x: np.ndarray, shift: int | np.ndarray) -> np.ndarray:
    """``x / 2**shift`` with halves up; ``shift`` from 0, an int or an array, ``|x|`` below 2**62.

    At shift 0 half the divisor is 0.
    """
    return x + (np.left_shift(1, shift, dtype=np.int64) >> 1) >> shift


def check_shifts(name: str, shifts: Sequence[int], most: int = SHIFT_MAX) -> None:
    """Raise ValueError unless every element of ``shifts`` (a list) lies between 0 and ``most``.

    The document treats a negative shift as 0, but no code does: the library stores shifts unsigned,
    so -1 is 65535 and undefined in its C. Its tests use no negative shifts.
    """
    for index, shift in enumerate(shifts):
        if not 0 <= shift <= most:
            raise ValueError(f"{name} of channel {index} must be between 0 and {most} bits, "
                             f"not {shift}")


def _int64(x):
    return np.asarray(x, dtype=np.int64)


def _products(c, memory, bits):
    return shift_round(_int64(c) * _int64(memory), _mode(bits).product_shift)


def vlmacc(acc: np.ndarray, c: np.ndarray, memory: np.ndarray, bits: int) -> np.ndarray:
    """Add a product to every accumulator: saturated to 32 bits, in mode 32 to 40 bits.

    Parameters
    ----------
    acc : shape (lanes,): 16, in mode 32 8
    c, memory : vectors; mode 8 uses only the first 16 of 32 elements

    Mode 32 drops 30 bits of a product, rounded, halves up.
    """
    mode = _mode(bits)
    products = _products(c[:mode.lanes], memory[:mode.lanes], bits)
    return saturate(_int64(acc) + products, mode.acc_bits)


def vlmaccr(acc: np.ndarray, c: np.ndarray, memory: np.ndarray, bits: int) -> np.ndarray:
    """Add all products to the last accumulator, saturate once, and rotate it to the front.

    Parameters as in ``vlmacc``, but all elements are used. In mode 8 lib_xcore_math saturates after
    every product, but its own tests require a single saturation.
    """
    acc = _int64(acc)
    total = acc[-1:] + _products(c, memory, bits).sum()
    return np.concatenate([saturate(total, _mode(bits).acc_bits), acc[:-1]])


def vlmaccr1(acc: np.ndarray, c: np.ndarray, memory: np.ndarray) -> np.ndarray:
    """Add half the product of 256-element vectors of 1 and -1, as ``vlmaccr`` adds.

    Parameters
    ----------
    acc : shape (16,)
    c, memory : 32 bytes; bit 0 means 1, bit 1 means -1
    """
    acc    = _int64(acc)
    c, memory = (np.asarray(bits).astype(np.uint8) for bits in (c, memory))
    equal  = int(np.unpackbits(np.bitwise_not(c ^ memory)).sum())
    total  = acc[-1:] + equal - 8 * len(c) // 2
    return np.concatenate([saturate(total, ACC_BITS), acc[:-1]])


def vlsat(acc: np.ndarray, shifts: int | np.ndarray, bits: int) -> np.ndarray:
    """Accumulators shifted right by ``shifts`` bits, rounded, halves up, and saturated to elements.

    ValueError for shifts outside 0 .. 31, in mode 32 outside 0 .. 39; see ``check_shifts``. The
    rounding addition cannot overflow here, unlike in the library's C.
    """
    check_shifts("Shift", np.ravel(shifts).tolist(), _mode(bits).acc_bits - 1)
    return saturate(shift_round(_int64(acc), _int64(shifts)), bits)


def vlashr(memory: np.ndarray, shift: int, bits: int) -> np.ndarray:
    """Elements shifted right by ``shift`` bits without rounding; negative shifts left; saturated.

    ``shift`` is any int; no other instruction has a signed shift. lib_nn 0.4.0 rounds, the unit
    does not.
    """
    check_kind("Shift", shift, int)
    _mode(bits)
    if shift < 0:
        # A left shift by bits - 1 or more saturates every value but 0.
        return saturate(_int64(memory) << min(-shift, bits - 1), bits)
    return saturate(_int64(memory) >> min(shift, bits), bits)


def vladd(r: np.ndarray, memory: np.ndarray, bits: int) -> np.ndarray:
    """Elements ``r + memory``, saturated."""
    _mode(bits)
    return saturate(_int64(r) + memory, bits)


def vlsub(r: np.ndarray, memory: np.ndarray, bits: int) -> np.ndarray:
    """Elements ``memory - r``, saturated."""
    _mode(bits)
    return saturate(_int64(memory) - r, bits)


def vlmul(r: np.ndarray, memory: np.ndarray, bits: int) -> np.ndarray:
    """Elements ``r * memory`` without 6, 14 or 30 bits in the modes, rounded, halves up; saturated.

    The lib_nn simulator does not round, its helpers and lib_xcore_math do.
    """
    return saturate(shift_round(_int64(r) * _int64(memory), _mode(bits).fraction), bits)


def _depth(r, bits, depth, modes):
    if bits not in modes:
        raise ValueError(f"VDEPTH{depth} needs a mode of {' or '.join(map(str, modes))} bits, "
                         f"not {bits!r}")
    return saturate(shift_round(_int64(r), bits - depth), depth)


def vdepth8(r: np.ndarray, bits: int) -> np.ndarray:
    """The high 8 bits of 16-bit or 32-bit elements, rounded, halves up; saturated."""
    return _depth(r, bits, 8, (16, 32))


def vdepth16(r: np.ndarray | Sequence[int], bits: int) -> np.ndarray:
    """The high 16 bits of 32-bit elements, rounded, halves up; saturated."""
    return _depth(r, bits, 16, (32,))


def vdepth1(r: np.ndarray, bits: int) -> int:
    """Element sign bits as an int; the first element's sign is bit 0."""
    _mode(bits)
    return sum(int(value < 0) << place for place, value in enumerate(np.ravel(r).tolist()))


def vpos(r: np.ndarray, bits: int) -> np.ndarray:
    """``max(r, 0)`` for each element.

    In mode 8 lib_nn's simulator reads accumulators; lib_xcore_math's simulator reads elements.
    """
    _mode(bits)
    return np.maximum(_int64(r), 0)
