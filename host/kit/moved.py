# SPDX-License-Identifier: Apache-2.0
"""Operands for data-movement layers and recurrent layers, by layer class."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from xymac.golden import mli1, mli2, tflm
from xymac.golden.array import Array

__all__ = ["MOVES", "RECURRENT", "formats_of", "operands_of_layer", "steps_of"]

#: Operations that move elements, and recurrent operations.
MOVES     = ("pad", "transpose", "concatenate", "slice")
RECURRENT = ("lstm", "rnn", "gru", "svdf")

_INPUTS = ("x", "z", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9")
#: Name suffixes of numbers, and their format attributes.
_FORMAT = {"zero": "zero_point", "scale": "scale", "scale_frac_bits": "scale_frac_bits",
           "frac_bits": "frac_bits"}


def operands_of_layer(layer: Any, inputs: tuple[Any, ...]) -> dict[str, Any] | None:
    """Operands for a layer in ``MOVES`` or ``RECURRENT``; None for other layers."""
    find = _LAYERS.get(type(layer))
    if find is None:
        return None
    arrays = {name: x.data for name, x in zip(_INPUTS, inputs, strict=False)}
    return arrays | find(layer, *inputs)


def formats_of(layer: Any, *inputs: Any) -> dict[str, Any]:
    """A layer's input and output formats: ints by name."""
    tensors = dict(zip(_INPUTS, inputs, strict=False)) | {"out": layer.output_like(*inputs)}
    return {key: value for name, tensor in tensors.items()
            for key, value in _format(name, tensor).items()}


def steps_of(layer: Any, x: Any) -> int:
    """A ``RECURRENT`` layer's step count on an input."""
    if isinstance(layer, tflm.UnidirectionalSequenceLstm):
        return x.shape[0 if layer.time_major else 1]
    if isinstance(layer, mli1.BasicRnnCell | mli1.LstmCell):
        return len(layer.frames(x))
    return 1 if isinstance(layer, tflm.Svdf) else x.shape[0]


def _pad(layer, x):
    pads = layer.widths if isinstance(layer, mli1.Padding2d) else layer.pads
    before, behind = np.array(pads, np.int32).reshape(-1, 2).T
    return {"before": before, "behind": behind,
            "value": 0 if isinstance(layer, mli1.Padding2d) else layer.fill(x)}


def _transpose(layer, x):
    return {"order": np.array(layer.order, np.int32)}


def _concatenate(layer, first, *others):
    return {"axis": layer.axis % first.data.ndim}


def _slice(layer, x):
    """First element, count and step along every input dimension."""
    ranges = [range(size) for size in x.shape]
    if isinstance(layer, tflm.StridedSlice):
        ranges = layer.ranges(x.shape)
    elif isinstance(layer, tflm.Slice):
        ranges = [range(begin, begin + size) for begin, size
                  in zip(layer.begin, layer.output_shape(x.shape), strict=True)]
    elif isinstance(layer, tflm.Split):
        axis = layer.axis % x.data.ndim
        size = x.shape[axis] // layer.count
        ranges[axis] = range(layer.index * size, (layer.index + 1) * size)
    else:
        last = len(layer.start) - 1
        ranges[:last + 1] = [range(place, place + 1) for place in layer.start]
        ranges[last] = range(layer.start[last], layer.start[last] + layer.first_out_dim_size)
    columns = zip(*((each.start, len(each), each.step) for each in ranges), strict=True)
    return {name: np.array(column, np.int32)
            for name, column in zip(("begin", "size", "step"), columns, strict=True)}


def _remember(layer, x):
    """A recurrent layer's constants, stacked over gates, and their formats."""
    operands = {}
    tensors  = {field.name: getattr(layer, field.name) for field in fields(layer)}
    for name, value in {"x": x, **tensors, "out": layer.output_like(x)}.items():
        several = isinstance(value, tuple)
        if not isinstance(value[0] if several else value, Array):
            continue
        name = "bias" if name == "biases" else name
        if name not in ("x", "out"):
            operands[name] = np.stack([each.data for each in value]) if several else value.data
        operands |= _format(name, value[0] if several else value)
    return operands | _factors(layer, x) | {"steps": steps_of(layer, x)}


def _format(name, tensor):
    """A tensor's zero point, fractional bits and similar; arrays for several scales."""
    form = next((getattr(tensor, each) for each in ("quantisation", "format")
                 if getattr(tensor, each, None) is not None), tensor)
    held = {f"{name}_{end}": getattr(form, attribute) for end, attribute in _FORMAT.items()
            if hasattr(form, attribute)}
    return {key: np.array(value) if isinstance(value, tuple) else value
            for key, value in held.items() if not isinstance(value, float)}


def _factors(layer, x):
    """Multipliers and left shifts in tflm layers, in order; for an LSTM input and state, gate by
    gate.
    """
    if isinstance(layer, tflm.Svdf):
        pairs = layer.factors(x)
    elif isinstance(layer, tflm.UnidirectionalSequenceLstm):
        pairs = [pair for gate in range(len(layer.biases)) for pair in layer.factors(x, gate)]
    else:
        return {}
    multipliers, exponents = zip(*pairs, strict=True)
    return {"multiplier": list(multipliers), "shift": list(exponents)}


_LAYERS = {
    **dict.fromkeys((tflm.Pad, tflm.PadV2, mli1.Padding2d), _pad),
    **dict.fromkeys((tflm.Transpose, mli1.Permute, mli2.Permute), _transpose),
    **dict.fromkeys((tflm.Concatenation, mli1.Concat, mli2.Concat), _concatenate),
    **dict.fromkeys((tflm.Slice, tflm.StridedSlice, tflm.Split, mli1.Subtensor), _slice),
    **dict.fromkeys((tflm.UnidirectionalSequenceLstm, tflm.Svdf, mli1.LstmCell, mli1.BasicRnnCell,
                     mli2.LstmCell, mli2.GruCell), _remember)}
