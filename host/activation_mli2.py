"""Activations and conversions of MLI 2.0 as maps."""

from dataclasses import replace

import numpy as np

from golden.fx import container
from golden.mli2 import ConvertTensor, Element, LeakyRelu, Prelu
from golden.mli2.activation import affine_slopes
from golden.mli2.convert import conversion
from golden.mli2.limits import relu_limits
from hdl.isa import Op, RoundMode, Scale

from .linear import first_record
from .maps import Map, Recipe
from .refuse import NoPassesError
from .scaling_mli2 import ZERO_MAX, affine_clip, narrow, rounded_clip, ties
from .shifts import shift_fields

__all__ = ["affine_map", "describe"]


_SHIFT_MAX = 31     #: Of what the library shifts right by at 32 bits.
_ONE       = np.ones((1, 1, 1), np.int8)
_NARROW    = (Element.FX_8, Element.FX_16, Element.SA_8)


def describe(layer, x):
    """The ``Recipe`` of a layer for a QuantTensor like ``x``; NoPassesError if there is none."""
    if isinstance(layer, ConvertTensor):
        return _convert(layer, x)
    if isinstance(layer, LeakyRelu):
        return (_affine_leaky if x.is_affine else _fixed_leaky)(layer, x)
    low, high = relu_limits(layer.relu, x.format, x.bits)
    return Recipe((Map.of(1, output={"clip": (low, max(low, high))}),))


def affine_map(zeros, multipliers, shifts, output, **fields):
    """Map of ``(x - zero) * multiplier / 2**shift``, all of them arrays [n], the difference limited
    to 16 bits; ``output`` are fields beyond the scale."""
    multipliers, posts = narrow(multipliers, shifts)
    records = first_record(multipliers, posts * 0, posts), -np.asarray(zeros)
    return Map(_ONE, records=records, output={"scale": Scale.BITS16, **output}, **fields)


def _larger(above):
    """Fold that takes the larger of two elements, or the smaller where ``above`` [n]: there the
    larger of the negated ones, negated again."""
    if np.all(above) or not np.any(above):
        return Map.of(1, 1, output={"op": Op.MIN if np.any(above) else Op.MAX})
    signs = np.where(above, -1, 1)
    return Map(np.stack([signs, signs])[:, None].astype(np.int8),
               records=(first_record(signs, signs * 0, signs * 0), signs * 0),
               output={"op": Op.MAX, "scale": Scale.BITS32})


def _leaky(layer, maps, above, **options):
    """Recipe of ``maps`` and then the larger of what they leave; the smaller where the slope is 1
    or more, so that always the scaled element counts below 0 only."""
    axis = layer.axis if isinstance(layer, Prelu) and layer.axis >= 0 else None
    fold = replace(_larger(np.array(above)),
                   reads=("s0" if options.get("scratch") else "a", "out"))
    return Recipe((*maps, fold), axis, **options)


def _fixed_leaky(layer, x):
    mode, slope = layer.build.rounding, layer.slope
    frac_bits   = slope.format.frac_bits
    shift   = min(frac_bits, _SHIFT_MAX)
    slopes  = slope.data.reshape(-1)
    scaled  = Map(slopes[None, None], output={
        **shift_fields(shift, mode), "clip": rounded_clip(x.bits, shift, 32, mode)})
    above = [value << max(-frac_bits, 0) >= 1 << max(frac_bits, 0) for value in slopes.tolist()]
    return _leaky(layer, (scaled,), above)


def _affine_leaky(layer, x):
    (multiplier, shift), slopes = affine_slopes(layer, x)
    zero   = [x.format.zero_point]
    output = _affine_output(layer.build.rounding, layer.out.zero_point)
    below  = affine_map(zero, *(np.array(values) for values in zip(*slopes, strict=True)), output)
    same   = affine_map(zero, [multiplier], [shift], output, writes="s0")
    above  = [slope << max(shift - places, 0) >= multiplier << max(places - shift, 0)
              for slope, places in slopes]
    return _leaky(layer, (below, same), above, scratch=(8,))


def _affine_output(rounding, zero):
    """Fields of SA_8 outputs that are saturated once, with their zero point."""
    _check_zero(zero)
    return {"rounding": rounding, **affine_clip(container(8), zero)}


def _check_zero(zero):
    if abs(zero) > ZERO_MAX:
        raise NoPassesError(f"Zero point of the output must be between {-ZERO_MAX} and "
                            f"{ZERO_MAX}, not {zero}")


def _convert(layer, x):
    """Recipe of elements of 8 and 16 bits."""
    for element in (x.element, layer.element):
        if element not in _NARROW:
            raise NoPassesError(f"Elements to convert must be "
                                f"{' or '.join(kind.name for kind in _NARROW)} to have passes, not "
                                f"{element.name}")
    dim   = max(getattr(kind, "dim", -1) for kind in (x.format, layer.out))
    count = 1 if dim < 0 else x.shape[dim]
    found = [conversion(x.format, layer.out, index, layer.build) for index in range(count)]
    zeros, multipliers, shifts, out_zeros = (
        np.array([getattr(each, name) for each in found])
        for name in ("in_zero", "multiplier", "shift", "out_zero"))
    for zero in out_zeros.tolist():
        _check_zero(zero)
    limits, output = container(layer.element.bits), {"rounding": layer.build.rounding}
    if len(set(out_zeros.tolist())) == 1:
        output |= affine_clip(limits, int(out_zeros[0]))
        scaled  = affine_map(zeros, multipliers, shifts, output)
    else:
        scaled = _with_zeros(affine_map(zeros, multipliers, shifts, {"clip": limits, **output}),
                             *narrow(multipliers, shifts), out_zeros)
    return Recipe((scaled,), None if dim < 0 else dim)


def _with_zeros(scaled, multipliers, posts, zeros):
    """The Map with a zero point for every index, added before the rounding.

    NoPassesError where that could change how a half is rounded.
    """
    for multiplier, post, zero in zip(multipliers.tolist(), posts.tolist(), zeros.tolist(),
                                      strict=True):
        even = scaled.output["rounding"] is RoundMode.CONVERGENT
        if even and zero % 2 and ties(multiplier, post, 1 << 15):
            raise NoPassesError(f"Zero points that differ must be even where halves are rounded to "
                                f"even, not {zero}")
        if not -(1 << 31) <= zero << post < 1 << 31:
            raise NoPassesError(f"Zero points that differ must have 32 bits with the {post} bits "
                                f"that are dropped, not be {zero}")
    first, bias = scaled.records
    return replace(scaled, records=(first, zeros << posts, bias),
                   output=scaled.output | {"addend": True})
