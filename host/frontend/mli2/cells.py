# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 recurrent cells and their dense kernel."""

from dataclasses import replace
from functools import partial

import numpy as np

from xymac.golden.mli2 import (
    Act,
    Affine,
    Direction,
    Fixed,
    GruCell,
    LstmCell,
    RnnDense,
    RnnOutput,
)
from xymac.golden.parameters.mli2.linear import align_bias, output_scaling
from xymac.hdl.isa import CELL_BITS
from xymac.host.ir.fields import container_clip
from xymac.host.ir.recurrent.dense_sums import DenseInput, DenseSums, ScaledSum
from xymac.host.ir.recurrent.rounded_cells import Gru, Lstm
from xymac.host.ir.requantiser import Requantiser

from .cell_rules import Rules, blank
from .fields import POST_MAX, check_zero

__all__ = ["DENSE", "GRUS", "LSTMS"]

_FACTOR_MAX = 1 << 31  #: Multiplier that saturates every nonzero sum at 32 bits.


def dense_of(layer, *inputs):
    """The ``DenseSums`` for an RnnDense on QuantTensors like ``inputs``, for a single gate."""
    peaks = [max(abs(limit - _zero_of(x)) for limit in container_clip(x.bits)) for x in inputs]
    return _sums(layer.build, layer.out, inputs, [True] * len(inputs), peaks,
                 [(layer.weights, layer.bias)])


def lstm_of(layer, x):
    """A cell's ``Lstm`` on a QuantTensor like ``x``."""
    rules, kinds = Rules(layer.build, x.is_affine), _state_kinds(layer)
    sums  = _dense_kind(layer, x, Affine(0, 1, 4), 10)
    sigm, tanh = layer.activations
    active     = {Act.TANH: tanh, Act.SIGM: sigm}.get(layer.act)
    new, gate, cell = rules.kind_of(tanh), rules.kind_of(sigm), layer.cell.format
    shown = cell if active is None else rules.kind_of(active)
    return Lstm(
        **_common(layer, x, rules, kinds, sums, range(4)), cell=layer.cell.centred,
        gates=tuple(rules.gate(act, sums) for act in (sigm, tanh, sigm, sigm)),
        keep=rules.product((cell, gate), cell), add=rules.product((new, gate), new),
        show=rules.product((shown, gate), layer.out), total=rules.total((cell, new), cell),
        active=None if active is None else rules.activation(active, cell),
        stored=rules.restored(cell))


def gru_of(layer, x):
    """A cell's ``Gru`` on a QuantTensor like ``x``."""
    rules, kinds = Rules(layer.build, x.is_affine), _state_kinds(layer)
    sums  = _dense_kind(layer, x, Affine(0, 21, 9), 11)
    sigm, tanh = layer.activations
    new, gate  = rules.kind_of(tanh), rules.kind_of(sigm)
    return Gru(
        **_common(layer, x, rules, kinds, sums, range(2)),
        last=_gate_sums(layer, x, rules, kinds, sums, (2,)),
        gates=tuple(rules.gate(act, sums) for act in (sigm, sigm, tanh)),
        keep=tuple(rules.product((kind[0], gate), *kind) for kind in kinds),
        rest=Requantiser(16, (255 if x.is_affine else 32767,), {"clip": container_clip(16)}),
        add=rules.product((new, gate), layer.out),
        total=tuple(rules.total((layer.out, kind), layer.out) for kind, *_ in kinds))


def _common(layer, x, rules, kinds, sums, numbers):
    return {"sums": _gate_sums(layer, x, rules, kinds, sums, numbers),
            "state": layer.state.centred, "shown": rules.restored(layer.out),
            "every": layer.output is RnnOutput.ALL,
            "backward": layer.direction is Direction.BWD, "affine": x.is_affine}


def _gate_sums(layer, x, rules, kinds, out, numbers):
    """DenseSums tuple for some gates, one per ``kinds`` entry."""
    gates = [((layer.gate_weights(layer.weights_in, gate),
               layer.gate_weights(layer.weights_out, gate)), layer.bias.part(gate))
             for gate in numbers]
    make  = partial(_sums, layer.build, out, gates=gates, raw=(True, False))
    return tuple(make((blank(x.format, x.bits), blank(states[0], x.bits)), peaks=[
        max(map(abs, rules.limits(*each))) for each in ((x.format,), states)]) for states in kinds)


def _state_kinds(layer):
    """State formats in the first step and in later steps, a list of tuples of equivalent formats.
    """
    first, later = layer.state.format, layer.out
    if isinstance(first, Affine):
        for kind in (first, later):
            check_zero("a state", kind.zero_point)
        # A range that includes 0 is within 8 bits for every zero point.
        if all(-128 <= kind.zero_point <= 127 for kind in (first, later)) and (
                replace(first, zero_point=later.zero_point) == later):
            return [(first, later)]
    return [(later,)] if first == later else [(first,), (later,)]


def _dense_kind(layer, x, affine, frac_bits):
    """Gate sum format."""
    if x.is_affine:
        return affine
    return Fixed(min(frac_bits, x.format.frac_bits + layer.weights_in.format.frac_bits))


def _sums(build, out, inputs, raw, peaks, gates):
    """DenseSums in the format ``out``.

    Parameters
    ----------
    inputs : QuantTensors in the input formats
    raw : bool sequence, whether an input's elements include their zero point
    peaks : list of int
    gates : (weights, bias) list: a QuantTensor per input, and a QuantTensor
    """
    affine, made = inputs[0].is_affine, []
    for number, (x, is_raw, peak) in enumerate(zip(inputs, raw, peaks, strict=True)):
        given = DenseInput(tuple(weights[number].centred.T.astype(np.int64)
                                 for weights, _ in gates), peak, _zero_of(x) * is_raw)
        if affine:
            made.append(replace(given, scaled=tuple(
                _scale(build, out, given, x, weights[number], bias, number == 0)
                for weights, bias in gates)))
        else:
            matrix = gates[0][0][number]
            made.append(replace(
                given, shift=x.format.frac_bits + matrix.format.frac_bits - out.frac_bits))
    if affine:
        return DenseSums(tuple(made), (), build.rounding, zero=out.zero_point, unit=out.scale)
    first  = gates[0][0][0]
    biases = tuple(align_bias(inputs[0], first, bias, build) for _, bias in gates)
    return DenseSums(tuple(made), biases, build.rounding, first.bits == CELL_BITS)


def _scale(build, out, given, x, weights, bias, first):
    taps    = weights.centred.T.astype(np.int64)
    scaling = output_scaling(x, weights, out, build)
    multiplier, shift = (int(value.item()) for value in (scaling.multiplier, scaling.shift))
    multiplier = min(multiplier << max(-shift, 0), _FACTOR_MAX)
    shift = min(max(shift, 0), POST_MAX)
    added = align_bias(x, weights, bias, build) * first
    return ScaledSum(taps, added, given.peak, given.taken - given.zero, multiplier, shift)


def _zero_of(x):
    return x.format.zero_point if x.is_affine else 0


LSTMS = {LstmCell: lstm_of}
GRUS  = {GruCell: gru_of}
DENSE = {RnnDense: dense_of}
