# SPDX-License-Identifier: Apache-2.0
"""Sums for a requantiser in any library: its inputs."""

from dataclasses import replace
from typing import Any

import numpy as np

from xymac.golden.parameters.mli2.linear import Scaling
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.requantise import Requantise
from xymac.host.kit.sums import Sums

from . import mli2, tflm, xs3
from .mli1 import ROUNDINGS

__all__ = ["LAYERS"]

_WHOLE = 64  #: Accumulator width: 32-bit sums are used unchanged.


def _mli1(unit):
    return Narrowing(ROUNDINGS[unit.rounding], acc_bits=_WHOLE), {"shift": unit.columns()[1]}


def _mli2(unit):
    multiplier, shift, *_ = unit.columns()
    return mli2.scale_sums(Scaling(multiplier, shift), unit.build)


def _tflm(unit):
    narrowing, scale = tflm.scale_short(unit.bits)
    return narrowing, scale(*unit.columns()[:2])


def _xs3(unit):
    scale, shift, early, addend = unit.columns()
    return xs3.UNIT, {"multiplier": scale, "shift": shift, "early": early, "addend": addend}


_DIALECTS = {"mli-1": _mli1, "mli-2": _mli2, "tflm": _tflm, "xs3": _xs3}


def _requantise(unit, inputs, places):
    """Sums for the outputs numbered ``places``."""
    [acc] = inputs
    narrowing, columns = _DIALECTS[unit.dialect](unit)
    columns: dict[str, Any] = {name: np.broadcast_to(value, acc.shape).reshape(-1)[places]
               for name, value in columns.items()}
    narrowing = replace(narrowing, out_bits=unit.bits, block=1)
    values    = np.asarray(acc, np.int64).reshape(1, -1)[:, places]
    return Sums.of(narrowing, values, 1, **columns, zero=unit.zero_point, low=unit.low,
                   high=unit.high, index=places)


LAYERS = {Requantise: _requantise}
