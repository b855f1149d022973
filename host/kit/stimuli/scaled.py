# SPDX-License-Identifier: Apache-2.0
"""Cases with other biases and other output scales, library by library."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor, log2
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.mli2 import Affine, Fixed
from xymac.golden.tflm import Quantisation

if TYPE_CHECKING:
    from xymac.host.kit.case import Case

__all__ = ["biased", "has_output_last", "scaled"]

_FRAC  = 32    #: Fractional bits of inputs and weights, so that any shift is possible.
_SCALE = float(np.float32(0.03))  #: Output scale of TensorFlow Lite below any activation.
_BITS8 = 31    #: Magnitude bits of an aligned 8-bit bias of mli-1; others have more.
_EARLY, _LATE = 2, 6  #: Rows of both shifts in the parameters of lib_nn, after two of the bias.
_LONG  = 15    #: Magnitude bits that lib_nn keeps after the first shift.


def has_output_last(case: Case) -> bool:
    """Whether the output channel is the last dimension of a Case's weights, not the first."""
    return case.dialect == "mli-2" or (case.operation == "depthwise_conv2d"
                                       and case.dialect in ("tflm", "xs3"))


def biased(case: Case, wanted: np.ndarray) -> Case:
    """The Case with the biases nearest to ``wanted``, int64 (outputs,), in the products' scale."""
    layer = case.layer
    if case.dialect == "xs3":
        return _with(case, bso=_with_bias(layer.bso, wanted))
    bias = layer.bias
    if case.dialect == "tflm" or isinstance(layer.out if case.dialect == "mli-2" else None, Affine):
        limits = np.iinfo(bias.data.dtype)
        return _with(case, bias=replace(bias, data=np.clip(
            wanted, limits.min, limits.max).astype(bias.data.dtype)))
    bits  = bias.bits - 1
    if case.dialect == "mli-1" and bias.bits == 8:
        wanted = np.clip(wanted, -(1 << _BITS8) + 1, (1 << _BITS8) - 1)
    shift = max(int(np.abs(wanted).max()).bit_length() - bits, 0)
    data  = (wanted >> shift).astype(bias.data.dtype)
    case  = _fine(case)
    return _with(case, bias=_frac(replace(bias, data=data), 2 * _FRAC - shift))


def scaled(case: Case, size: int, target: float,
           rng: np.random.Generator) -> Case:
    """A Case whose sums of magnitude ``size`` become outputs near ``target``."""
    return _DIALECTS[case.dialect](case, size, target, rng)


def _with(case, **changes):
    return replace(case, layer=replace(case.layer, **changes))


def _frac(tensor, bits):
    """A fixed-point tensor with ``bits`` fractional bits."""
    if hasattr(tensor, "frac_bits"):
        return replace(tensor, frac_bits=bits)
    return replace(tensor, format=Fixed(bits))


def _fine(case):
    """The fixed-point Case with enough fractional bits for every shift; the bias shift stays."""
    layer, x = case.layer, case.inputs[0]
    old      = [getattr(each, "format", each).frac_bits
                for each in (x, layer.weights, layer.bias)]
    shift = old[0] + old[1] - old[2]
    return replace(_with(case, weights=_frac(layer.weights, _FRAC),
                         bias=_frac(layer.bias, 2 * _FRAC - shift)),
                   inputs=(_frac(x, _FRAC), *case.inputs[1:]))


def _tflm(case, size, target, rng):
    """A common multiplier for all outputs, in half of the cases a power of two."""
    layer, x = case.layer, case.inputs[0]
    factor   = target / size
    if rng.random() < 1 / 2:
        factor = 2.0 ** floor(log2(factor))
    old    = layer.weights.quantisation
    scale  = float(np.float32(factor * _SCALE / x.quantisation.scale))
    scales = (scale,) * len(old.scales)
    bias   = layer.bias
    if bias is not None:
        kinds = (float(np.float32(x.quantisation.scale * scale)),) * len(old.scales)
        bias  = replace(bias, quantisation=Quantisation(kinds, (0,) * len(kinds),
                                                        0 if len(kinds) > 1 else -1))
    return _with(case, weights=replace(layer.weights, quantisation=replace(old, scales=scales)),
                 bias=bias, out=replace(layer.out, scales=(_SCALE,)))


def _mli1(case, size, target, rng):
    case = _fine(case)
    return _with(case, out_frac_bits=2 * _FRAC - max(ceil(log2(size / target)), 0))


def _mli2(case, size, target, rng):
    out = case.layer.out
    if isinstance(out, Fixed):
        case = _fine(case)
        return _with(case, out=Fixed(2 * _FRAC - max(ceil(log2(size / target)), 0)))
    x, weights = case.inputs[0].format, case.layer.weights.format
    own  = max(scale / 2.0 ** bits for scale, bits in zip(weights.scales, weights.fractions,
                                                          strict=True))
    want = x.scale / 2.0 ** x.scale_frac_bits * own * size / target
    bits = 14 - floor(log2(want))
    return _with(case, out=Affine(out.zero_point, min(int(want * 2.0 ** bits), 32767), bits))


def _with_bias(bso, wanted):
    """lib_nn parameters with other biases; unused channels repeat the first bias."""
    data   = bso.data.copy()
    groups = data.shape[0]
    flat   = np.full(groups * data.shape[2], wanted[0], np.int64)
    flat[:len(wanted)] = np.clip(wanted, -(1 << 31) + 1, (1 << 31) - 1)
    rows   = flat.reshape(groups, -1)
    data[:, 0], data[:, 1] = ((part & 0xFFFF).astype(data.dtype) for part in (rows >> 16, rows))
    return replace(bso, data=data)


def _xs3(case, size, target, rng):
    data  = case.layer.bso.data.copy()
    early = max(size.bit_length() - _LONG, 0)
    scale = float(data[:, 3].astype(np.int16).max())
    late  = max(ceil(log2(max((size >> early) * scale / target, 1))), 0)
    final = 8 if getattr(case.layer, "final_shift", False) else 0
    data[:, _EARLY], data[:, _LATE] = early, max(late - final, 0)
    data[:, 4:6] = 0
    return _with(case, bso=replace(case.layer.bso, data=data))


_DIALECTS = {"tflm": _tflm, "mli-1": _mli1, "mli-2": _mli2, "xs3": _xs3}
