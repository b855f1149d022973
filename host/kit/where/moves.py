# SPDX-License-Identifier: Apache-2.0
"""Elements moved to or from wrong places."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.kit.operands import operands_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xymac.host.kit.case import Case

__all__ = ["changed_moves"]

_INPUTS = ("x", "z", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9")


def changed_moves(case: Case) -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Pairs (words, function from a Case and its expected output to a device's output) for the
    operation in ``case``: pad, transpose, concatenate or slice.
    """
    for words, change in _CHANGES.get(case.operation, {}).items():
        yield words, partial(_run, change)


def _run(change, case, want):
    return np.asarray(change(operands_of(case))).reshape(want.shape)


def _padded(given, before="before", behind="behind", **options):
    widths = list(zip(given[before].tolist(), given[behind].tolist(), strict=True))
    return np.pad(given["x"], widths, **options or {"constant_values": given["value"]})


def _one_sided(given, is_behind):
    both = given["before"] + given["behind"]
    none = np.zeros_like(both)
    return _padded(given | {"before": none if is_behind else both,
                            "behind": both if is_behind else none})


def _end(given, name):
    return getattr(np.iinfo(given["x"].dtype), name)


def _ordered(order, given):
    return given["x"].transpose(order(given["order"]))


def _swapped(order):
    """The order with the last two dimensions exchanged, if there is an exchange at all."""
    plain = list(range(len(order)))
    return plain if list(order) == plain else [*plain[:-2], plain[-1], plain[-2]]


def _parts(given):
    return [given[name] for name in _INPUTS if name in given]


def _joined(order, given):
    return np.concatenate(order(_parts(given)), axis=given["axis"])


def _along(axis, given):
    """The inputs joined along another axis; ValueError if their shapes differ elsewhere."""
    return np.concatenate(_parts(given), axis=axis(given["axis"], given["x"].ndim))


def _cut(change, given):
    """A slice with other ``begin`` or ``step``; the last element stands for places beyond."""
    given = given | change(given)
    places = [np.clip(begin + np.arange(size) * step, 0, most - 1) for begin, size, step, most
              in zip(given["begin"], given["size"], given["step"], given["x"].shape, strict=True)]
    return given["x"][np.ix_(*places)]


_CHANGES = {
    "pad": {
        "padding is 0 in place of its value": lambda given: _padded(given, constant_values=0),
        "padding is the lowest element": lambda given: _padded(
            given, constant_values=_end(given, "min")),
        "padding is the highest element": lambda given: _padded(
            given, constant_values=_end(given, "max")),
        "padding has the opposite sign": lambda given: _padded(given, constant_values=min(
            -given["value"], _end(given, "max"))),
        "padding is the elements at the border": lambda given: _padded(given, mode="edge"),
        "padding is mirrored elements": lambda given: _padded(given, mode="symmetric"),
        "padding before and behind are exchanged": lambda given: _padded(
            given, "behind", "before"),
        "all padding is behind": partial(_one_sided, is_behind=True),
        "all padding is before": partial(_one_sided, is_behind=False)},
    "transpose": {
        "the order of dimensions is inverted, from output to input": partial(
            _ordered, np.argsort),
        "the elements keep their order": lambda given: given["x"],
        "only the last two dimensions are exchanged": partial(_ordered, _swapped),
        "the order of dimensions is read from its end": partial(
            _ordered, lambda order: order[::-1]),
        "all dimensions are in reversed order": partial(
            _ordered, lambda order: range(len(order))[::-1])},
    "concatenate": {
        "the inputs follow each other in memory, whatever the axis": lambda given: np.concatenate(
            [part.ravel() for part in _parts(given)]),
        "the inputs are in reversed order": partial(_joined, lambda parts: parts[::-1]),
        "the first two inputs are exchanged": partial(
            _joined, lambda parts: [parts[1], parts[0], *parts[2:]]),
        "the first input is there in place of all others": partial(
            _joined, lambda parts: [parts[0]] * len(parts)),
        "the last input is the one before it": partial(
            _joined, lambda parts: [*parts[:-1], parts[-2]]),
        "the axis is the last one": partial(_along, lambda axis, rank: rank - 1),
        "the axis is one higher": partial(_along, lambda axis, rank: min(axis + 1, rank - 1)),
        "the axis is one lower": partial(_along, lambda axis, rank: max(axis - 1, 0))},
    "slice": {
        "the step is ignored and counts as 1": partial(
            _cut, lambda given: {"step": 0 * given["step"] + 1}),
        "the first element is ignored, slices begin at 0": partial(
            _cut, lambda given: {"begin": 0 * given["begin"]}),
        "slices begin one element late": partial(
            _cut, lambda given: {"begin": given["begin"] + 1}),
        "slices begin one element early": partial(
            _cut, lambda given: {"begin": given["begin"] - 1}),
        "slices begin at 0 along the last dimension": partial(
            _cut, lambda given: {"begin": np.append(given["begin"][:-1], 0)}),
        "the elements of a slice follow each other in memory": lambda given: given["x"].ravel()[
            np.ravel_multi_index(tuple(given["begin"]), given["x"].shape):][
                :int(np.prod(given["size"]))]}}
