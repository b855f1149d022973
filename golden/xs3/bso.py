# SPDX-License-Identifier: Apache-2.0
"""Bias, scale and offset tensors for XS3 kernels, and the outputs they produce."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.parameters.xs3 import BsoColumns, bso_columns

from .instructions import LANES, check_shifts, shift_round, vlsat
from .integers import check_integers, check_range

if TYPE_CHECKING:
    from .integers import Integers

__all__ = ["BsoOutput", "check_low", "clip8"]

_ROWS = 7  #: Bias high, bias low, shift 1, scale, offset scale, offset, shift 2.


def check_low(low: int) -> None:
    """Raise unless ``low`` is -128 or -127, the lower bounds with which the library can be built.
    """
    check_range("low", low, -128, -127)


def clip8(x: np.ndarray, low: int) -> np.ndarray:
    """``x`` as int8, clipped to ``low`` and 127."""
    return np.clip(x, low, 127).astype(np.int8)


@dataclass(frozen=True)
class BsoOutput(BsoColumns):
    """Accumulator conversion to outputs with per-channel biases, scales and offsets."""

    @classmethod
    def read(cls, bso: Integers, channels: int) -> BsoOutput:
        """Read the parameters for ``channels`` channels from ``bso``, Integers in the library's
        layout.

        The shape is (blocks of 16 channels, 7, 16), int16 or uint16; padding in the last block is
        ignored.
        ValueError for another type or shape, and for shifts outside 0 .. 31: see ``check_shifts``.
        Source: lib_nn, api/nn_bso.h.
        """
        check_integers("BSO", bso, (np.uint16, np.int16))
        shape = (-(-channels // LANES), _ROWS, LANES)
        if bso.shape != shape:
            raise ValueError(f"BSO of {channels} channels must have shape {shape}, "
                             f"not {bso.shape}")
        columns = cls(**vars(bso_columns(bso.data, channels)))
        check_shifts("Shift 1", columns.shift1.tolist())
        check_shifts("Shift 2", columns.shift2.tolist())
        return columns

    def _scale_sums(self, acc):
        # At most 32767 * 32768 + 32768 * 32768 = 2147450880: 32 bits never saturate here.
        return vlsat(acc, self.shift1, 16) * self.scale + self.offset_scale * self.offset

    def to16(self, acc: np.ndarray) -> np.ndarray:
        """Accumulators (..., channels) as int16, saturated to plus or minus 32767.

        ``vlsat(vlsat(acc, shift1) * scale + offset_scale * offset, shift2)``, in mode 16.
        """
        return vlsat(self._scale_sums(acc), self.shift2, 16).astype(np.int16)

    def to8(self, acc: np.ndarray, low: int, final_shift: bool) -> np.ndarray:
        """Accumulators (..., channels) as int8, clipped to ``low`` and 127.

        Shift 2 gives the 8 bits, as in the library's code; with ``final_shift`` the ``to16`` result
        without its low 8 bits gives them, rounded a second time, as in its document.
        """
        if final_shift:
            return clip8(shift_round(self.to16(acc).astype(np.int64), 8), low)
        return clip8(shift_round(self._scale_sums(acc), self.shift2), low)
