# SPDX-License-Identifier: Apache-2.0
"""Operands for many cases as a few long arrays, and a number row per case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case

__all__ = ["Columns", "columns_of"]

_PARTS = {"kernel": ("rows", "columns"), "stride": ("rows", "columns"),
          "dilation": ("rows", "columns"), "start": ("row", "column"),
          "pad": ("top", "bottom", "left", "right")}
_LISTS = {"multiplier": np.int32, "shift": np.int8}  #: List operands and their types.


@dataclass(frozen=True)
class Columns:
    """Cases for users without Python.

    Parameters
    ----------
    arrays : {name: array of all cases, concatenated}; the last is "expected"
    names : tuple of str, ``rows``'s columns: for every array the case's start, element count and
        sizes, then single numbers
    rows : int32 array (cases, columns)
    """

    arrays: dict
    names:  tuple
    rows:   np.ndarray


def columns_of(cases: Sequence[Case]) -> Columns:
    """Columns for Cases with equal operation, dialect and type; InputError for mixed cases.

    A scale or another number is a list with a single element if any other case has a list.
    """
    kinds = {(case.operation, case.dialect, case.type) for case in cases}
    if len(kinds) != 1:
        raise InputError(f"Cases must be of one operation, dialect and type, not {len(kinds)}")
    split  = [_split(case) for case in cases]
    names  = list(dict.fromkeys(name for arrays, _ in split for name in arrays))
    names  = [*(name for name in names if name != "expected"), "expected"]
    for arrays, numbers in split:  # with a list in any case, every case has a list
        arrays |= {name: np.array([numbers.pop(name)], np.int32) for name in names
                   if name in numbers}
    held   = {name: [arrays[name] for arrays, _ in split if name in arrays] for name in names}
    dtypes = {name: np.result_type(*parts) for name, parts in held.items()}
    rows, ends = [], dict.fromkeys(names, 0)
    for arrays, numbers in split:
        row = {}
        for name in names:
            array = arrays.get(name, np.zeros(0))
            row |= {f"{name}_first": ends[name], f"{name}_count": array.size}
            row |= {f"{name}_size_{axis}": size for axis, size in enumerate(array.shape)
                    if array.ndim > 1}
            ends[name] += array.size
        rows.append(row | numbers)
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    table   = [[row.get(name, 0) for name in columns] for row in rows]
    return Columns({name: np.concatenate([part.reshape(-1) for part in parts]).astype(
        dtypes[name]) for name, parts in held.items()}, columns, np.array(table, np.int32))


def _split(case):
    """A Case's arrays and numbers by their names."""
    arrays, numbers = {}, {}
    for name, value in _flatten(case.operands):
        if isinstance(value, list):
            arrays[name] = np.array(value, _LISTS[name])
        elif isinstance(value, np.ndarray):
            arrays[name] = value
        elif isinstance(value, tuple):
            numbers |= {f"{name}_{part}": size
                        for part, size in zip(_PARTS[name], value, strict=True)}
        else:
            numbers[name] = int(value)
    return arrays | {"expected": case.expected()}, numbers


def _flatten(operands):
    """Operands as (name, value) pairs; nested operands have both names joined."""
    for name, value in operands.items():
        if isinstance(value, dict):
            yield from ((f"{name}_{part}", each) for part, each in value.items())
        else:
            yield name, value
