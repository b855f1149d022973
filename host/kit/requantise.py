# SPDX-License-Identifier: Apache-2.0
"""An accelerator's smallest operation: sums in, elements out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.fixed import saturate, wrap
from xymac.golden.mli1.arithmetic import shift_round as mli1_round
from xymac.golden.mli2 import Build
from xymac.golden.mli2.arithmetic import cast
from xymac.golden.parameters.mli2.linear import Scaling, shorten
from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.golden.xs3.instructions import shift_round as xs3_round
from xymac.golden.xs3.instructions import vlsat
from xymac.hdl.isa import RoundMode

__all__ = ["DTYPES", "Requantise"]

DTYPES = {8: np.dtype(np.int8), 16: np.dtype(np.int16)}  #: Output dtype by width.

_EXPONENT_LEAST = 31  #: Negated lowest tflm exponent.
_FIELDS = ("multiplier", "shift", "early", "addend")
_DIALECTS = ("mli-1", "mli-2", "tflm", "xs3")


@dataclass(frozen=True)
class Requantise:
    """A requantiser for 32-bit sums, bias included.

    Tuples have a single int, or an int per channel; the channel is the sums' last axis.

    Parameters
    ----------
    dialect : "tflm", "mli-1", "mli-2" or "xs3"
    multiplier : tflm: 31 bits, Q0.31; mli-2: the full build's multiplier; xs3: 16-bit scale; mli-1:
        1
    shift : bits; tflm: exponent, to the left; others: to the right, after the multiplier
    zero_point : int, output zero point; 0 for mli-1 and xs3
    low, high : lowest and highest output, inclusive
    bits : output width, 8 or 16
    rounding : RoundMode, for mli-1
    build : Build, for mli-2
    early : xs3: right shift to 16 bits before the multiplier
    addend : xs3: offset times its scale, added to the product
    """

    dialect:    str
    multiplier: tuple
    shift:      tuple
    zero_point: int = 0
    low:        int = -128
    high:       int = 127
    bits:       int = 8
    rounding:   RoundMode = RoundMode.CONVERGENT
    build:      Build = Build.UP_REDUCED
    early:      tuple = (0,)
    addend:     tuple = (0,)

    def __post_init__(self) -> None:
        if self.dialect not in _DIALECTS:
            raise ValueError(f"dialect must be one of {', '.join(_DIALECTS)}, "
                             f"not {self.dialect!r}")
        if self.bits not in DTYPES:
            raise ValueError(f"bits must be 8 or 16, not {self.bits!r}")
        least, most = np.iinfo(DTYPES[self.bits]).min, np.iinfo(DTYPES[self.bits]).max
        if not least <= self.low <= self.high <= most:
            raise ValueError(f"low and high must be within {least} and {most}, in order, "
                             f"not {self.low} and {self.high}")
        if not 1 <= len(self.multiplier) == len(self.shift):
            raise ValueError(f"There are {len(self.multiplier)} multipliers, but "
                             f"{len(self.shift)} shifts")
        self._check_dialect()

    def _check_dialect(self):
        """Raise ValueError for parameters outside the library's range."""
        if self.dialect == "tflm":
            for shift in self.shift:
                if not -_EXPONENT_LEAST <= shift <= EXPONENT_MAX:
                    raise ValueError(f"Shifts of tflm must be between {-_EXPONENT_LEAST} and "
                                     f"{EXPONENT_MAX}, not {shift}")
        if self.dialect in ("mli-1", "xs3") and self.zero_point:
            raise ValueError(f"Zero point of {self.dialect} must be 0, not {self.zero_point}")
        if self.dialect == "mli-1" and set(self.multiplier) != {1}:
            raise ValueError("Multipliers of mli-1 must be 1")

    def columns(self) -> tuple[np.ndarray, ...]:
        """Multiplier, shift, early shift and addend: int64 arrays with a single value, or a value
        per channel.
        """
        return tuple(np.array(getattr(self, name), np.int64) for name in _FIELDS)

    def run(self, acc: np.ndarray) -> np.ndarray:
        """Golden outputs for an int array [..., channels], sums within 32 bits."""
        values = _VALUES[self.dialect](self, np.asarray(acc, np.int64))
        return np.clip(values, self.low, self.high).astype(DTYPES[self.bits])


def _mli1(unit, acc):
    out = np.empty_like(acc)
    shifts = np.broadcast_to(unit.columns()[1], acc.shape)
    for shift in np.unique(shifts):
        here = shifts == shift
        out[here] = mli1_round(acc[here], int(shift), unit.rounding, (-(1 << 31), (1 << 31) - 1))
    return out


def _mli2(unit, acc):
    multiplier, shift, *_ = unit.columns()
    if unit.build.reduced:
        multiplier, early, shift = shorten(Scaling(multiplier, shift), unit.build)
        acc = cast(acc, early, 32, 16, unit.build.rounding)
    scaled = cast(acc * multiplier, np.minimum(shift, 63), 64, 16, unit.build.rounding)
    return saturate(scaled + unit.zero_point, 16)


def _tflm(unit, acc):
    multiplier, exponent, *_ = unit.columns()
    return wrap(multiply_quantized(acc, multiplier, exponent) + unit.zero_point, 32)


def _xs3(unit, acc):
    scale, shift, early, addend = unit.columns()
    early, shift = (np.broadcast_to(each, acc.shape) for each in (early, shift))
    sums = vlsat(acc, early, 16) * scale + addend
    return xs3_round(sums, shift)


_VALUES = {"mli-1": _mli1, "mli-2": _mli2, "tflm": _tflm, "xs3": _xs3}
