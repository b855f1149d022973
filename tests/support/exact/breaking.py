# SPDX-License-Identifier: Apache-2.0
"""Functions of xymac.golden.parameters, broken on purpose in every module that has them."""

import inspect
import sys
from dataclasses import fields, is_dataclass, replace
from enum import Enum

from xymac.golden.parameters import mean, mli1, xs3
from xymac.golden.parameters.mli2 import (
    activation,
    convert,
    eltwise,
    limits,
    linear,
    pool,
    rounding,
)
from xymac.golden.parameters.tflm import eltwise as tflm_eltwise
from xymac.golden.parameters.tflm import (
    exponent,
    hard_swish,
    multiplier,
    pairs,
    places,
    ranges,
    recurrent,
    rescale,
    roots,
    windows,
)
from xymac.golden.parameters.tflm import linear as tflm_linear
from xymac.golden.parameters.tflm import mean as tflm_mean

__all__ = ["FUNCTIONS", "break_function", "count_numbers", "with_one_off"]

MODULES = (mean, mli1, xs3, activation, convert, eltwise, limits, linear, pool, rounding,
           multiplier, ranges, windows, tflm_eltwise, tflm_linear, tflm_mean,
           exponent, hard_swish, pairs, places, recurrent, rescale, roots)
HOW     = {"of_each"}  #: Names that say how something is computed, and derive nothing.

#: Every function that derives something, by ``module.name``.
FUNCTIONS = {f"{module.__name__.removeprefix('xymac.golden.parameters.')}.{name}": (module, name)
             for module in MODULES for name in module.__all__
             if inspect.isfunction(inspect.unwrap(getattr(module, name))) and name not in HOW}


def break_function(monkeypatch, module, name, wrong):
    """Put ``wrong(right)`` in place of a function, or of a constant, wherever it is known."""
    right  = getattr(module, name)
    broken = wrong(right)
    monkeypatch.setattr(module, name, broken)
    for other, holder in list(sys.modules.items()):
        if (other.startswith(("xymac.golden.", "xymac.host."))
                and getattr(holder, name, None) is right):
            monkeypatch.setattr(holder, name, broken)


def _numbers(value):
    """What a result is made of, as ``(parts, make it of such parts)``; None for a single number."""
    if is_dataclass(value):
        names = [field.name for field in fields(value) if field.name != "dim"]
        return [getattr(value, name) for name in names], lambda parts: replace(
            value, **dict(zip(names, parts, strict=True)))
    if isinstance(value, tuple | list):
        return list(value), type(value)
    return None


def count_numbers(value):
    """Numbers that a result has; an array counts as one."""
    parts = _numbers(value)
    return 1 if parts is None else sum(map(count_numbers, parts[0]))


def with_one_off(value, place):
    """The result with its number ``place`` one larger; a truth or a kind becomes another one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, Enum):
        return next(other for other in type(value) if other is not value)
    parts = _numbers(value)
    if parts is None:
        return value + 1
    values, make = parts
    for index, each in enumerate(values):
        size = count_numbers(each)
        if place < size:
            values[index] = with_one_off(each, place)
            break
        place -= size
    return make(values)
