# SPDX-License-Identifier: Apache-2.0
"""Newer XS3 library output transform: accumulators to 8 bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.parameters.xs3 import transform_columns
from xymac.golden.result import Result

from .bso import check_low, clip8
from .instructions import LANES, SHIFT_MAX, check_shifts, shift_round, vladd, vlashr, vlmul, vlsat
from .integers import Integers, check_integers, check_range
from .layer import IntegerLayer

__all__ = ["OutputTransform"]


@dataclass(frozen=True)
class OutputTransform(IntegerLayer):
    """Accumulators shifted, scaled, offset and shifted again: ``output_transform_int8``.

    In mode 16: ``v = vlsat(acc, initial_shift)``, for a group with a negative shift
    ``vlashr(vlsat(acc, 0), initial_shift)``; ``v = vlashr(vladd(vlmul(v, scale), bias),
    final_shr)``; then 8 bits dropped, rounded, halves up. The sums have no bias themselves.

    Parameters
    ----------
    params : Integers, int16, shape (elements,): for each group of 16 channels its scales, then its
        biases; channelwise its initial shifts come before them. A last group with fewer channels is
        packed, not padded.
    channels : int, at least 1
    final_shr : int, -31 .. 31, bits: right, not rounded; negative left
    initial_shift : int, -31 .. 31, bits, for a group: right, rounded; negative left. None for the
        channelwise transform, whose shifts lie in 0 .. 31: see ``check_shifts``
    low : int, -128 or -127, the lowest output

    Source: lib_nn 0.4.0, src/cpp/filt2d/OutputTransformFn.cpp, ``otfn_int8``,
    ``otfn_int8_channelwise``; asm/output_transform_fn_int8.S.
    """

    params:        Integers
    channels:      int
    final_shr:     int
    initial_shift: int | None = None
    low:           int = -128

    def output_shape(self, acc_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape (..., channels) for valid accumulators of ``acc_shape``."""
        return (*acc_shape[:-1], self.channels)

    def check(self, acc: Integers) -> None:
        """Raise ValueError or TypeError unless the transform can process the Integers ``acc``."""
        check_integers("Accumulators", acc, (np.int32,))
        check_range("channels", self.channels, 1, 1 << 31)
        padded = -(-self.channels // LANES) * LANES
        if acc.data.ndim < 1 or acc.shape[-1] not in (self.channels, padded):
            raise ValueError(f"Accumulators of {self.channels} channels must be {self.channels} or "
                             f"{padded}, but have shape {acc.shape}")
        check_integers("Parameters", self.params, (np.int16,), 1)
        wanted = self.channels * self._kinds
        if self.params.shape[0] != wanted:
            raise ValueError(f"Parameters of {self.channels} channels must be {wanted}, "
                             f"not {self.params.shape[0]}")
        check_range("final_shr", self.final_shr, -SHIFT_MAX, SHIFT_MAX)
        if self.initial_shift is None:
            check_shifts("Initial shift", self.columns()[0].tolist())
        else:
            check_range("initial_shift", self.initial_shift, -SHIFT_MAX, SHIFT_MAX)
        check_low(self.low)

    @property
    def _kinds(self):
        """Channel parameters."""
        return 3 if self.initial_shift is None else 2

    def columns(self) -> np.ndarray:
        """Parameters by kind and channel: shape (kinds, channels), int64."""
        return transform_columns(self.params.data, self._kinds)

    def run(self, acc: Integers) -> Result:
        """Result on the Integers ``acc``, int32, shape (..., channels), or padded to 16 channels.

        Padding channels are ignored.
        """
        values = acc.data[..., :self.channels]
        *shifts, scale, bias = self.columns()
        first = self.initial_shift
        if first is None:
            values = vlsat(values, shifts[0], 16)
        elif first > 0:
            values = vlsat(values, first, 16)
        else:
            values = vlashr(vlsat(values, 0, 16), first, 16)
        values = vlashr(vladd(vlmul(values, scale, 16), bias, 16), self.final_shr, 16)
        return Result(Integers(clip8(shift_round(values, 8), self.low)), overflow=False)
