# SPDX-License-Identifier: Apache-2.0
"""Variants of a golden call, each with a single wrong or unusual input or field."""

import linecache
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace

import numpy as np

from xymac import golden
from xymac.golden import mli1, tflm

__all__ = ["outcomes"]

_MOST    = 250  #: Variants of a call.
_NUMBERS = -1, 0, 1, 2, 5, 200, 40_000
_OTHERS  = 1.5, True, "x", None, (), (1,), (1, 2), (0, 1, 2, 3), np.ones(2, np.int8)
_FOREIGN = mli1.Tensor(np.ones(4, np.int8), 4), tflm.Tensor(np.ones(4, np.int8))
#: Letters of exceptions; others have an x. Small if Python or numpy raises, not golden.
_LETTERS = {ValueError: "V", TypeError: "T", OverflowError: "O"}
_RANKS   = 6  #: Dimensions of 1 that a variant puts before those of an input, at most.


def outcomes(layer, inputs) -> Iterator[tuple[str, object]]:
    """(letter, result) of every variant: the first letter of its exception, ``=`` if its result is
    the right call's, and ``.`` for another result.
    """
    right = golden.run(layer, *inputs)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        variants = [*_variants(layer, inputs)]
        for make in variants[::-(-len(variants) // _MOST)]:
            try:
                result = golden.run(*make())
            except Exception as error:
                letter = _LETTERS.get(type(error), "x")
                yield letter if _is_raised_here(error) else letter.lower(), None
            else:
                yield "=" if _same(result.output, right.output) else ".", result.output


def _is_raised_here(error):
    """Whether a statement ``raise`` of golden has made an exception."""
    place = error.__traceback__
    while place.tb_next is not None:
        place = place.tb_next
    code = place.tb_frame.f_code
    line = linecache.getline(code.co_filename, place.tb_lineno)
    return "/golden/" in code.co_filename and line.lstrip().startswith("raise ")


def _same(one, other):
    return (one.data.dtype == other.data.dtype and one.data.shape == other.data.shape
            and one.data.tobytes() == other.data.tobytes())


def _variants(layer, inputs):
    """Functions that return (layer, *inputs)."""
    yield lambda: (layer, *inputs[1:])
    yield lambda: (layer, *inputs, inputs[-1])
    yield lambda: (layer, *inputs[::-1])
    for number, x in enumerate(inputs):
        for make in _arrays(x):
            yield lambda number=number, make=make: (
                layer, *inputs[:number], make(), *inputs[number + 1:])
    for make in _parts(layer):
        yield lambda make=make: (make(), *inputs)


def _arrays(x):
    """Functions that return variants of a golden Array."""
    data = x.data
    yield from (lambda dtype=dtype: replace(x, data=data.astype(dtype))
                for dtype in (np.int8, np.int16, np.int32, np.uint8, np.float32, bool))
    yield lambda: replace(x, data=data.reshape(-1))
    yield from (lambda count=count: replace(x, data=data.reshape((1,) * count + data.shape))
                for count in range(1, _RANKS + 1))
    yield lambda: replace(x, data=data[..., np.newaxis])
    yield lambda: replace(x, data=data.T)
    yield lambda: replace(x, data=data.reshape(-1)[0])
    yield from (lambda axis=axis: replace(x, data=np.delete(data, 0, axis))
                for axis in range(data.ndim))
    yield from (lambda axis=axis: replace(x, data=np.repeat(data, 2, axis))
                for axis in range(data.ndim))
    yield from _parts(x)
    yield from (lambda axis=axis: _along(x, axis) for axis in range(data.ndim))
    yield from (lambda other=other: other for other in _FOREIGN)


def _along(x, axis):
    """The Array with its first scale for every index along a dimension."""
    for field in fields(x):
        kind = getattr(x, field.name)
        if is_dataclass(kind):
            lists = {each.name: getattr(kind, each.name)[:1] * x.shape[axis]
                     for each in fields(kind) if isinstance(getattr(kind, each.name), tuple)}
            dims  = {name: axis for name in ("axis", "dim") if hasattr(kind, name)}
            return replace(x, **{field.name: replace(kind, **lists, **dims)})
    return replace(x, data=x.data[::-1])


def _parts(value):
    """Functions that return a dataclass with another value in a field."""
    for field in fields(value):
        if field.init and field.name != "data":
            for make in _values(getattr(value, field.name)):
                yield lambda name=field.name, make=make: replace(value, **{name: make()})


def _values(value):
    """Functions that return other values of a field."""
    yield from (lambda other=other: other for other in (*_NUMBERS, *_OTHERS))
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from (lambda other=other: value + other for other in (-1, 1))
        yield from (lambda other=other: value * other for other in (-1, 2))
    elif isinstance(value, tuple):
        yield from (lambda: value[:-1], lambda: (*value, *value[-1:]), lambda: value[::-1],
                    lambda: [*value])
        for at, element in enumerate(value):
            if isinstance(element, int | float):
                yield from (lambda at=at, other=other: (*value[:at], other, *value[at + 1:])
                            for other in (element - 1, element + 1, -element, 2.5, None))
    elif is_dataclass(value):
        yield from _arrays(value) if hasattr(value, "data") else _parts(value)
    elif isinstance(value, np.ndarray):
        yield from (lambda: value[1:], lambda: value[::-1], lambda: value.astype(np.float32),
                    lambda: value + 1)
    elif value is not None:
        with suppress(TypeError):
            yield from (lambda other=other: other for other in type(value))
