# SPDX-License-Identifier: Apache-2.0
"""Recurrent states that a device keeps from case to case."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from xymac import golden

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case

__all__ = ["find_kept_state"]

_CELLS  = ("lstm", "rnn", "gru", "svdf")
_FIELDS = {"state": ("h", "state", "cell"), "cell state": ("cell",), "output": ("h", "state")}
_LEAST  = 3  #: Fewest wrong outputs that name a kept state.


def find_kept_state(cases: Sequence[Case], expected: Sequence[np.ndarray],
                    results: Sequence[np.ndarray]) -> str:
    """Words on a state of earlier cases behind all results of a recurrent layer; "" without.

    Parameters
    ----------
    cases, expected, results : lists of equal length, in the device's order
    """
    wrong = sum(int(np.count_nonzero(want != got)) for want, got in zip(
        expected, results, strict=True))
    if wrong < _LEAST or any(case.operation not in _CELLS for case in cases):
        return ""
    known: dict[int, dict] = {}
    for (name, fields), (words, memory) in product(_FIELDS.items(), _MEMORIES.items()):
        if _explains(cases, results, fields, memory(), known):
            return f"the layer starts from the {name} that {words}"
    return ""


class _Before:
    """The state of the case before, if it has the same shape."""

    def __init__(self) -> None:
        self._held: dict = {}

    def load(self, name: str, own: np.ndarray) -> np.ndarray:
        """The initial state of a case whose ``own`` one is given."""
        held = self._held.get(name)
        return held if held is not None and held.shape == own.shape else own

    def store(self, name: str, state: np.ndarray) -> None:
        """Keep the last state of a case."""
        self._held[name] = state


class _BeforeOfShape(_Before):
    """The state of the last case with the same shape."""

    def load(self, name: str, own: np.ndarray) -> np.ndarray:
        return self._held.get((name, own.shape), own)

    def store(self, name: str, state: np.ndarray) -> None:
        self._held[name, state.shape] = state


class _Memory(_Before):
    """Places in a memory, which is 0 before the first case if ``is_empty``."""

    def __init__(self, *, is_empty: bool) -> None:
        super().__init__()
        self._is_empty = is_empty

    def load(self, name: str, own: np.ndarray) -> np.ndarray:
        whole = 0 * own.reshape(-1) if self._is_empty else own.reshape(-1).copy()
        held  = self._held.get(name, whole[:0])[:own.size]
        whole[:len(held)] = held
        return whole.reshape(own.shape)

    def store(self, name: str, state: np.ndarray) -> None:
        flat = state.reshape(-1)
        self._held[name] = np.concatenate([flat, self._held.get(name, flat[:0])[len(flat):]])


#: {words: function that makes a memory}.
_MEMORIES = {
    "the case before left, if it has the same shape": _Before,
    "the last case with the same shape left": _BeforeOfShape,
    "earlier cases left in its memory": lambda: _Memory(is_empty=False),
    "earlier cases left in its memory, at first 0": lambda: _Memory(is_empty=True)}


def _explains(cases, results, fields, memory, known):
    """Whether the device starts every case with ``fields`` from its memory.

    ``known`` holds the last states of the cases with their own first states, by case number.
    """
    for number, (case, got) in enumerate(zip(cases, results, strict=True)):
        own     = _states(case.layer, fields)
        first   = {name: memory.load(name, data) for name, data in own.items()}
        changed = any(not np.array_equal(first[name], data) for name, data in own.items())
        if not changed and number in known:
            output, last = case.expected(), known[number]
        else:
            output, last = _run(case, first)
        if not changed:
            known[number] = last
        if not np.array_equal(output, got):
            return False
        for name in own:
            memory.store(name, last[name])
    return True


def _states(layer, fields):
    """{field: state array} of a layer."""
    return {name: state.data for name in fields
            if (state := getattr(layer, name, None)) is not None}


def _run(case, first):
    """(output, {field: last state}) from the states ``first``, {field: array}."""
    layer = replace(case.layer, **{
        name: replace(getattr(case.layer, name), data=data.astype(getattr(
            case.layer, name).data.dtype)) for name, data in first.items()})
    result = golden.run(layer, *case.inputs)
    output = np.asarray(result.output.data)
    fields = _FIELDS["state"]
    if hasattr(layer, "following"):
        return output, _states(layer.following(result), fields)
    last = {name: output.reshape(-1)[-data.size:].reshape(data.shape)
            for name, data in _states(layer, fields).items() if name != "cell"}
    cell = getattr(result, "cell", None)
    return output, last if cell is None else last | {"cell": np.asarray(cell.data)}
