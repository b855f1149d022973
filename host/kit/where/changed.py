# SPDX-License-Identifier: Apache-2.0
"""Layers with changed operands: inputs and weights as a faulty device reads them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden.mli1 import Layout
from xymac.host.kit.accumulate import SUMMING

from .axes import axes_of
from .lost import lost_products
from .padded import padded_layers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xymac.host.kit.case import Case

__all__ = ["changed_layers"]

_IMAGES   = ("conv2d", "depthwise_conv2d")
_MATRICES = ("fully_connected", *SUMMING)
_CUT      = (1, 2, 4)  #: Low bits that a device may lack.
#: Words, and a function from depthwise output channels and the number of input channels to the
#: input channels that they read in place of their number divided by the channel multiplier.
_SOURCES  = (
    ("every output channel reads the input channel of its own number modulo the input channels",
     lambda outputs, count: outputs % count),
    ("every output channel reads the input channel of its own number, at most the last one",
     lambda outputs, count: np.minimum(outputs, count - 1)),
    ("every output channel reads input channel 0", lambda outputs, count: 0 * outputs))


def changed_layers(case: Case) -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Pairs (words, function from a Case and its expected output to a faulty device's output), for
    devices with the operation of ``case`` and wrongly read inputs or weights.
    """
    many = len(case.inputs)
    for words, change in _values("inputs", is_sum=case.operation == "requantise"):
        yield words.format("every input" if many > 1 else "the input"), partial(_inputs, change)
        if many == 2:
            yield words.format("the first input"), partial(_inputs, change, only=0)
            yield words.format("the second input"), partial(_inputs, change, only=1)
    if many == 2:
        yield "the elements of the inputs are exchanged", partial(_taken, (1, 0))
        yield "the elements of the first input count twice", partial(_taken, (0, 0))
        yield "the elements of the second input count twice", partial(_taken, (1, 1))
    yield from padded_layers(case)
    if case.operation == "depthwise_conv2d":
        for words, move in _SOURCES:
            yield words, partial(_other_source, move)
    if case.operation in (*_IMAGES, *_MATRICES):
        for words, change in (*_values("weights", is_sum=False), *_orders(case),
                              *lost_products(_axes_of(case))):
            yield words.format("the weights"), partial(_weights, change)


def _values(kind, *, is_sum):
    """Single-element changes: functions from (int64 array, iinfo) to an array."""
    lowest = "the lowest element of {} counts as "
    yield f"{lowest}the next higher one", lambda x, ends: np.maximum(x, ends.min + 1)
    yield f"{lowest}the highest one", lambda x, ends: np.where(x == ends.min, ends.max, x)
    yield f"{lowest}0", lambda x, ends: np.where(x == ends.min, 0, x)
    if not is_sum:
        yield ("the highest element of {} counts as the next lower one",
               lambda x, ends: np.minimum(x, ends.max - 1))
        yield "{} wraps at " + "one bit less", lambda x, ends: _wrap(x, ends.bits - 1)
        yield "the highest bit of {} is inverted", lambda x, ends: x ^ ends.min
        yield "{} saturates at one bit less", lambda x, ends: np.clip(
            x, ends.min // 2, ends.max // 2)
    if kind == "inputs":
        yield "elements of {} below 0 count as 0", lambda x, ends: np.maximum(x, 0)
        yield "every element of {} is the first one", lambda x, ends: np.full_like(x, x.flat[0])
        yield "the last element of {} counts as 0", partial(_without, -1)
        yield "the first element of {} counts as 0", partial(_without, 0)
    yield "the sign of {} is lost", lambda x, ends: np.minimum(np.abs(x), ends.max)
    yield "{} counts as sign and magnitude", lambda x, ends: np.where(x < 0, -(x & ends.max), x)
    for bits in _CUT:
        name = "lowest bit" if bits == 1 else f"{bits} lowest bits"
        yield f"the {name} of {{}} {'is' if bits == 1 else 'are'} cut", partial(_cut, bits)
    if kind == "inputs":
        yield "{} comes one element late", lambda x, ends: _late(x, 1)
        yield "{} comes one element early", lambda x, ends: _late(x, -1)
        yield "the last channel of {} is the one before", _repeated
    yield from _channel_orders("{}", -1) if kind == "inputs" else ()


def _channel_orders(name, axis):
    yield f"the channel order of {name} is reversed", lambda x, ends: np.flip(x, axis)
    yield (f"every 2 channels of {name} are exchanged",
           lambda x, ends: np.take(x, _pairs(x.shape[axis]), axis))
    for step in (1, -1):
        side = "next" if step < 0 else "one before"
        yield (f"every channel of {name} is the {side}",
               lambda x, ends, step=step: np.roll(x, step, axis))


def _pairs(count):
    """Numbers below ``count``, every two exchanged; the last of an odd number stays."""
    return [number ^ 1 if number ^ 1 < count else number for number in range(count)]


def _orders(case):
    """Changes to the weight order."""
    axes = _axes_of(case)
    if case.operation in _IMAGES:
        rows, columns = axes["row"], axes["column"]
        yield ("the kernel is turned by 180 degrees",
               lambda w, ends: np.flip(w, (rows, columns)))
        yield "the columns of the kernel are in reversed order", lambda w, ends: np.flip(w, columns)
        yield "the rows of the kernel are in reversed order", lambda w, ends: np.flip(w, rows)
        for words, axis in (("row", rows), ("column", columns)):
            for place, end in ((-1, "last"), (0, "first")):
                yield (f"the {end} {words} of the kernel counts as 0",
                       partial(_without_line, axis, place))
        yield ("rows and columns of kernels that are not square are exchanged",
               lambda w, ends: w if w.shape[rows] == w.shape[columns] else np.swapaxes(
                   w, rows, columns).reshape(w.shape))
        yield ("rows and columns of kernels that are not square are exchanged in memory",
               lambda w, ends: w if w.shape[rows] == w.shape[columns] else _reread(
                   w, rows, columns))
        yield ("rows and columns of the kernel are exchanged",
               lambda w, ends: np.swapaxes(w, rows, columns).reshape(w.shape))
        yield ("rows and columns of the kernel are exchanged in memory",
               lambda w, ends: _reread(w, rows, columns))
    if "input" in axes:
        for words, change in _channel_orders("the weights", axes["input"]):
            yield words.replace("channel", "input channel"), change
    for step, side in ((1, "one before"), (-1, "next one")):
        yield (f"every output has the weights of the {side}",
               lambda w, ends, step=step: np.roll(w, step, axes["output"]))
    yield ("all outputs have the weights of output 0", lambda w, ends: np.broadcast_to(
        np.take(w, [0], axes["output"]), w.shape))
    if "input" in axes:
        others = (axes["row"], axes["column"]) if "row" in axes else (axes["output"],)
        for other in others:
            name = next(name for name, axis in axes.items() if axis == other)
            yield (f"{name}s and inputs of the weights are exchanged in memory",
                   lambda w, ends, other=other: _reread(w, other, axes["input"]))
        if len(others) > 1:
            yield ("inputs come in front of rows and columns in the memory of the weights",
                   lambda w, ends: _in_front(w, axes["input"]))


def _axes_of(case):
    """{meaning: axis} for weights; depthwise weights have no input axis."""
    wide = case.operation == "depthwise_conv2d"
    if case.operation not in _IMAGES:
        is_turned = case.dialect == "mli-2" or case.operation == "matmul"
        return {"output": 1, "input": 0} if is_turned else {"output": 0, "input": 1}
    if case.dialect == "mli-2":
        axes = {"row": 0, "column": 1, "input": 2, "output": 3}
    elif case.dialect == "mli-1" and case.layer.layout is Layout.CHW:
        axes = {"output": 0, "input": 1, "row": 2, "column": 3}
    elif case.dialect == "xs3" and wide:
        axes = {"row": 0, "column": 1, "output": 2}
    elif case.dialect == "tflm" and wide:
        axes = {"row": 1, "column": 2, "output": 3}
    else:
        axes = {"output": 0, "row": 1, "column": 2, "input": 3}
    if wide:
        axes.pop("input", None)
    return axes


def _wrap(x, bits):
    half = 1 << bits - 1
    return (x + half & (1 << bits) - 1) - half


def _cut(bits, x, ends):
    return x >> bits << bits


def _without(place, x, ends):
    flat = x.reshape(-1).copy()
    flat[place] = 0
    return flat.reshape(x.shape)


def _late(x, count):
    flat = np.roll(x.reshape(-1), count)
    flat[:count] = 0 if count > 0 else flat[:count]
    if count < 0:
        flat[count:] = 0
    return flat.reshape(x.shape)


def _without_line(axis, place, w, ends):
    """Weights without a first or last kernel line, for kernels with several lines."""
    if w.shape[axis] < 2:
        return w
    other = np.moveaxis(w.copy(), axis, 0)
    other[place] = 0
    return np.moveaxis(other, 0, axis)


def _repeated(x, ends):
    return x if x.shape[-1] < 2 else np.concatenate([x[..., :-1], x[..., -2:-1]], axis=-1)


def _reread(w, one, two):
    """Weights read as if two axes were exchanged in memory."""
    shape = list(w.shape)
    shape[one], shape[two] = shape[two], shape[one]
    return np.swapaxes(w.reshape(shape), one, two)


def _in_front(w, axis):
    """Weights read as if the last axis were in front of rows and columns."""
    order = (*w.shape[:axis - 2], w.shape[axis], *w.shape[axis - 2:axis], *w.shape[axis + 1:])
    return np.moveaxis(w.reshape(order), axis - 2, axis)


def _apply(change, array):
    """An Array or a numpy array with changed elements."""
    data: Any = getattr(array, "data", array) if not isinstance(array, np.ndarray) else array
    other = np.asarray(change(data.astype(np.int64), np.iinfo(data.dtype))).astype(data.dtype)
    return other if isinstance(array, np.ndarray) else replace(array, data=other)


def _inputs(change, case, want, only=None):
    return _with(case, tuple(_apply(change, x) if only in (None, place) else x
                             for place, x in enumerate(case.inputs)))


def _taken(order, case, want):
    """The output for inputs with exchanged elements."""
    if len({x.shape for x in case.inputs}) > 1:
        return want
    return _with(case, tuple(replace(x, data=case.inputs[place].data) for x, place
                             in zip(case.inputs, order, strict=True)))


def _other_source(move, case, want):
    """The output of a depthwise layer whose output channels read other input channels."""
    x       = case.inputs[0]
    axis    = axes_of(case, want.shape).index("channel")
    outputs = np.arange(want.shape[axis])
    data    = np.take(x.data, move(outputs, x.shape[axis]), axis)
    return _with(case, (replace(x, data=np.ascontiguousarray(data)),))


def _with(case, inputs):
    return replace(case, inputs=inputs).expected()


def _weights(change, case, want):
    if case.operation == "matmul":  # whose operand is turned
        turned = np.ascontiguousarray(case.layer.weights.T)
        return replace(case, layer=replace(case.layer, weights=_apply(change, turned).T)).expected()
    return replace(case, layer=replace(case.layer, weights=_apply(
        change, case.layer.weights))).expected()
