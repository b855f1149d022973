# SPDX-License-Identifier: Apache-2.0
"""Sums and differences of SA_8 tensors in MLI 2.0, which rounds each operand separately."""

from dataclasses import dataclass

import numpy as np

from xymac.golden.kinds import EltwiseOp
from xymac.golden.parameters.mli2.convert import Conversion
from xymac.golden.parameters.mli2.eltwise import sum_scales
from xymac.golden.parameters.mli2.rounding import shift_round
from xymac.hdl.isa import FLOOR_BITS, FLOOR_MAX, AccumulatorRange, RoundMode
from xymac.host.frontend.mli2.affine import affine_map
from xymac.host.frontend.mli2.digits import sum_maps
from xymac.host.ir.elementwise import ElementMap, ElementMaps, split
from xymac.host.ir.fields import ZERO_MAX, affine_clip, container_clip

from .fields import narrow, ties

__all__ = ["affine_sum"]

_REPEATS_MAX = 4  #: Weights of an element from which two passes are as fast as a single pass.
_PARTS_MAX   = 3  #: The same limit for the weights of both elements.


@dataclass(frozen=True)
class _Operand:
    """``sign * round((x - zero) * multiplier / 2**shift)``, within ``low .. high``.

    ``name`` is its TensorLayout name, ``reach`` the largest magnitude of ``x - zero``.
    """

    name:       str
    sign:       int
    zero:       int
    multiplier: int
    shift:      int
    low:        int
    high:       int
    reach:      int

    @property
    def wide(self):
        """Whether 16 bits are not enough."""
        return self.low < -(1 << 15) or self.high >= 1 << 15

    @property
    def peak(self):
        """Largest magnitude."""
        return max(abs(self.low), abs(self.high))


def affine_sum(layer, a, b):
    """The ``ElementMaps`` for a sum or difference.

    A single pass rounds an operand as it narrows the sum, if the other operand is an integer, or if
    the lanes floor it before the last step. If the scales are too different, an earlier pass rounds
    the other operand, in the output memory if 8 bits suffice, because a pass reads elements of
    equal width. Otherwise a pass rounds each operand to 16 bits, or, where a wider operand could
    matter, several passes round it to 32 bits.
    """
    mode, zero = layer.build.rounding, layer.out.zero_point
    signs    = 1, -1 if layer.op is EltwiseOp.SUB else 1
    operands = [_operand(name, sign, tensor, scale, mode) for name, sign, tensor, scale
                in zip("ab", signs, (a, b), sum_scales(layer, a, b), strict=True)]
    output   = {"rounding": mode, **affine_clip(container_clip(8), zero)}
    for rounded in (0, 1):
        merged = _merge(operands[1 - rounded], operands[rounded], output)
        if merged is not None:
            return ElementMaps((merged,))
    for last in (0, 1):
        map_ = _floor(operands[1 - last], operands[last], output)
        if map_ is not None:
            return ElementMaps((map_,))
    for rounded, tensor in enumerate((a, b)):
        if tensor.data.size > 1 or a.data.size == b.data.size:  # single: stored in the output
            recipe = _two_passes(operands[1 - rounded], operands[rounded], output)
            if recipe is not None:
                return recipe
    if any(operand.wide and other.peak >= ZERO_MAX - abs(zero)
           for operand, other in (operands, reversed(operands))):
        return sum_maps([(operand.name, operand.sign, Conversion(
            operand.zero, operand.multiplier, operand.shift, 0)) for operand in operands],
            mode, affine_clip(container_clip(8), zero))
    return _three_passes(operands, output)


def _operand(name, sign, tensor, scale, mode):
    multiplier, shift = scale
    zero   = tensor.format.zero_point
    ends   = np.clip(np.array(container_clip(8)) - zero, *container_clip(16))
    limits = shift_round(ends * multiplier, shift, 32, mode).tolist()
    return _Operand(name, sign, zero, multiplier, shift, *limits, int(abs(ends).max()))


def _merge(whole, rounded, output):
    """ElementMap rounding ``rounded`` and adding ``whole``, or None if ``whole`` needs rounding
    too.

    An integer can be added before the rounding, unless a half would round differently: with ties to
    even, or with ties up before a negation.
    """
    if whole.wide or rounded.wide or max(abs(whole.zero), abs(rounded.zero)) > ZERO_MAX:
        return None
    factor = whole.multiplier / 2**whole.shift
    if factor != int(factor):
        return None
    multiplier, post = (int(value) for value in narrow(rounded.multiplier, rounded.shift))
    even = output["rounding"] is RoundMode.CONVERGENT
    safe = int(factor) % 2 == 0 if even else rounded.sign > 0
    if not safe and ties(multiplier, post, rounded.reach):
        return None
    multiplier, post = _shorten(multiplier, post)
    weights = whole.sign * int(factor) << post, rounded.sign * multiplier
    if max(map(abs, weights)) > _REPEATS_MAX * container_clip(16)[1]:
        return None
    bias = -weights[0] * whole.zero - weights[1] * rounded.zero
    return ElementMap(split(weights), (whole.name, rounded.name), records=(np.array([bias]),),
               output={"shift": post, "acc_range": AccumulatorRange.BITS40, **output})


def _shorten(multiplier, post):
    """The same scale in the fewest bits."""
    while post and multiplier % 2 == 0:
        multiplier, post = multiplier // 2, post - 1
    return multiplier, post


def _floor(first, last, output):
    """ElementMap flooring ``first`` in the lanes with a half-unit bias, and rounding ``last``; or
    None.

    ``last`` is rounded as the sum is narrowed. Both get the longer right shift, which should be the
    ``last`` shift. Ties must not occur with rounding to even, nor in a subtracted ``last``; in
    ``first`` they round down.
    """
    scales = [narrow(operand.multiplier, operand.shift) for operand in (first, last)]
    scales = [_shorten(int(multiplier), int(post)) for multiplier, post in scales]
    shift  = max(FLOOR_BITS + 1, *(post for _, post in scales))
    if shift > FLOOR_BITS + FLOOR_MAX or max(abs(first.zero), abs(last.zero)) > ZERO_MAX:
        return None
    even = output["rounding"] is RoundMode.CONVERGENT
    for operand, scale, exact in zip((first, last), scales, (even, even or last.sign < 0),
                                     strict=True):
        if exact and ties(*scale, operand.reach):
            return None
    begin, end = (operand.sign * multiplier << shift - post
                  for operand, (multiplier, post) in zip((first, last), scales, strict=True))
    parts = split([begin])[0]
    if len(parts) > _PARTS_MAX or not -(1 << 15) <= end < 1 << 15:
        return None
    weights = np.stack([parts, np.zeros_like(parts)])
    weights[1, -1] = end
    bias = begin * (last.zero - first.zero) + (1 << shift - 1) - (first.sign < 0)
    return ElementMap(weights, (first.name, last.name), records=(np.array([bias]),), output={
        "shift": shift, "floor": shift - FLOOR_BITS, "x_zero": last.zero,
        "acc_range": AccumulatorRange.BITS40, **output})


def _two_passes(first, rounded, output):
    """ElementMaps rounding ``first`` to 8 bits and then ``rounded``, or None."""
    zero = container_clip(8)[0] - first.low
    if first.wide or first.high - first.low > 255 or abs(zero) > ZERO_MAX:
        return None
    second = _merge(_Operand("out", first.sign, zero, 1, 0, first.low, first.high, first.peak),
                     rounded, output)
    if second is None:
        return None
    fields = {"rounding": output["rounding"], "clip": (first.low, first.high), "zero": zero}
    return ElementMaps((_scale(first, "out", fields), second))


def _three_passes(operands, output):
    """ElementMaps rounding both operands to 16 bits and then combining them.

    If an operand saturates, the sum must exceed 8 bits anyway.
    """
    fields = {"rounding": output["rounding"], "clip": container_clip(16)}
    maps   = [_scale(operand, f"s{index}", fields) for index, operand in enumerate(operands)]
    total  = ElementMap.of(*(operand.sign for operand in operands), reads=("s0", "s1"),
                           output=output)
    return ElementMaps((*maps, total), scratch=(16, 16))


def _scale(operand, name, output):
    return affine_map([operand.zero], [operand.multiplier], [operand.shift], output,
                      reads=(operand.name,), writes=name)
