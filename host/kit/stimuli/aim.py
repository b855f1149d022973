# SPDX-License-Identifier: Apache-2.0
"""Biases for sums at ties between two outputs, and on both sides of a clip, where devices differ.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.mli2 import Affine
from xymac.host.kit.accumulate import SUMMING
from xymac.host.kit.libraries import has_sums, sums_of

if TYPE_CHECKING:
    from xymac.host.kit.case import Case
    from xymac.host.kit.stimuli.draw import Draw

__all__ = ["aim_bias", "is_aligned"]

_AIMS = ("anywhere", "tie", "tie below 0", "lowest", "highest")
_MOST = 1 << 30  #: Largest magnitude of a changed bias.


def aim_bias(draw: Draw, case: Case) -> Case:
    """A Case with a sum in every output channel at a tie or at a clip, if the Draw chooses so.

    Applies only to biases aligned with the sums and not all 0; the channel is the last output
    dimension. A tie is exact if the multiplier allows, else as near as possible.
    """
    bias = getattr(case.layer, "bias", None)
    if (case.operation in SUMMING or not has_sums(case) or bias is None or not bias.data.any()
            or not is_aligned(case)):
        return case
    style = draw.pick("aim", _AIMS)
    if style == "anywhere":
        return case
    shape  = case.layer.output_like(*case.inputs).shape
    pixels = draw.integers(0, np.prod(shape[:-1], dtype=int) - 1, shape[-1])
    sums   = sums_of(case, pixels * shape[-1] + np.arange(shape[-1]))
    data   = bias.data.astype(np.int64)
    for place in range(shape[-1]):
        low, high = (int(limit - sums.zero[place]) for limit in (sums.low[place],
                                                                 sums.high[place]))
        if style in ("lowest", "highest"):
            low  = low - 2 if style == "lowest" else high - 1
            high = low + 3
        else:
            low, high = (low, -1) if style == "tie below 0" else (max(low, 0), high)
        if low < high:
            wanted = _sum_at(sums, place, int(draw.integers(low, high - 1)))
            moved  = int(data[place]) + wanted - int(sums.total[place] + sums.bias[place])
            data[place] = moved if abs(moved) < _MOST else data[place]
    layer = replace(case.layer, bias=replace(bias, data=data.astype(bias.data.dtype)))
    return replace(case, layer=layer)


def is_aligned(case: Case) -> bool:
    """Whether the bias has the products' scale."""
    return case.dialect in ("tflm", "xs3") or (case.dialect == "mli-2"
                                      and isinstance(case.layer.out, Affine))


def _sum_at(sums, place, target):
    """The sum nearest to ``target`` + 0.5, before the zero point."""
    column = {name: int(getattr(sums, name)[place]) for name in
              ("left", "factor", "early", "multiplier", "addend", "shift")}
    step   = Fraction(2) ** (column["left"] - column["early"] - column["shift"])
    factor = column["factor"] * column["multiplier"] * step
    added  = Fraction(column["addend"]) / Fraction(2) ** column["shift"]
    return round((Fraction(2 * target + 1, 2) - added) / factor) if factor else 0
