# SPDX-License-Identifier: Apache-2.0
"""Sums at ties between two outputs and on both sides of a clip, products where roundings differ."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.mli2 import Affine
from xymac.host.kit.accumulate import SUMMING
from xymac.host.kit.libraries import has_sums, sums_of
from xymac.host.kit.model import compute
from xymac.host.kit.rounding import Rounding
from xymac.host.kit.rule import Rule

if TYPE_CHECKING:
    from xymac.host.kit.case import Case
    from xymac.host.kit.stimuli.draw import Draw

__all__ = ["aim_bias", "aim_product", "is_aligned"]

_AIMS = ("anywhere", "tie", "tie below 0", "lowest", "highest")
_MOST = 1 << 30  #: Largest magnitude of a changed bias.
_FACTORS = 64    #: Second factors that are tried for a product,
_PRODUCTS = 48   #: and maximum number of products to aim.
_ROUNDINGS = [rounding for rounding in Rounding if rounding is not Rounding.NUDGED]


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


def aim_product(draw: Draw, case: Case) -> Case:
    """A product of two tensors some of whose elements depend on the rounding of a shift, if the
    Draw chooses so; other cases unchanged.
    """
    if case.operation != "mul" or not has_sums(case) or draw.pick(
            "aim", ("anywhere", "rounding")) == "anywhere":
        return case
    second = case.inputs[1]
    size   = second.data.size
    places = draw.rng.choice(size, min(size, _PRODUCTS), replace=False)
    sums   = sums_of(case, places)
    limits = np.iinfo(second.data.dtype)
    low, high = draw.ends("input", limits.min, limits.max)
    tried  = draw.integers(low, high, (_FACTORS, len(places)))
    moved  = tried + sums.weights[0] - second.data.reshape(-1)[places]  # without zero points
    many   = replace(sums.take(np.tile(np.arange(len(places)), _FACTORS)),
                     weights=moved.reshape(1, -1))
    differs = _differs(draw, many).reshape(tried.shape)
    found   = differs.any(axis=0)
    data    = second.data.copy()
    data.reshape(-1)[places[found]] = tried[differs.argmax(axis=0), np.arange(len(places))][found]
    return replace(case, inputs=(case.inputs[0], replace(second, data=data)))


def _differs(draw, sums):
    """Whether two roundings of one shift give different outputs, a bool array."""
    shift = "first" if sums.narrowing.shifts > 1 and draw.rng.random() < 1 / 2 else "last"
    one, other = (sums.narrowing.under(Rule(**{shift: _ROUNDINGS[place]})) for place in
                  draw.rng.choice(len(_ROUNDINGS), 2, replace=False))
    return compute(one, sums) != compute(other, sums)


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
