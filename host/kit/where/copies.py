# SPDX-License-Identifier: Apache-2.0
"""Recognise rearranged right outputs among wrong results: late, transposed, reversed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from .axes import axes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xymac.host.kit.case import Case

__all__ = ["CONSTANT", "changed_outputs", "find_copy"]

_LATE   = (1, 2, 3, 4, 8, 16)   #: Tried delays and advances of a result, elements.
_GROUPS = (4, 8, 16, 32)        #: Tried groups with reversed order, elements.
_ENOUGH = 8                     #: Fewest elements, in results that are not constant, for a verdict.
_TOLD   = 4                     #: Fewest wrong outputs that show a copy.
_SHARE  = 0.95                  #: Smallest fraction of cases that a copy must explain.
_WORDS  = {1: "one", 2: "two", 3: "three", 4: "four"}
#: Sentences on constant results, which other faults may give too.
CONSTANT = ("every element is 0", "all elements of a result are equal")
_BEFORE  = "the results are the outputs of the case before"
_SHIFTED = "the results are the expected outputs {} {}"


def find_copy(cases: Sequence[Case], expected: Sequence[np.ndarray], results: Sequence[np.ndarray],
              wrong: Sequence[int]) -> str:
    """Name the rearrangement behind the wrong results, as a sentence; "" if there is none.

    Parameters
    ----------
    cases, expected, results : lists in the device's order
    wrong : numbers of the cases with differences
    """
    telling = [number for number in wrong if len(np.unique(expected[number])) > 1]
    if sum(expected[number].size for number in telling) < _ENOUGH:
        return ""
    found, told = {}, {}
    for number in wrong:  # equal elements show no order, but a rearrangement leaves them right
        before = expected[number - 1] if number else None
        for name in _matches(cases[number], expected[number], results[number], before):
            found[name] = found.get(name, 0) + 1
            told[name]  = told.get(name, 0) + _count_told(
                name, before if name == _BEFORE else expected[number],
                np.count_nonzero(expected[number] != results[number]))
    for name, count in sorted(found.items(), key=lambda item: -item[1]):
        least = _NEEDS.get(name, 0)  # smaller results cannot show it
        if told[name] >= _TOLD and count >= max(
                _SHARE * sum(expected[number].size > least for number in wrong), 1):
            return name
    return ""


def changed_outputs(cases: Sequence[Case], expected: Sequence[np.ndarray]) -> Iterator[
        tuple[str, Callable[[int], np.ndarray]]]:
    """Pairs (words on some outputs, function from a case number to a device's results).

    Parameters
    ----------
    cases, expected : lists in the device's order
    """
    kind = np.iinfo(expected[0].dtype)
    for words, change in (
            ("the output is 0", lambda want: 0 * want),
            ("the output is the one before it", lambda want: _earlier(want, 1)),
            ("the output is the one behind it", lambda want: _earlier(want, -1)),
            ("the output is 1 higher", lambda want: np.minimum(want + 1, kind.max)),
            ("the output is 1 lower", lambda want: np.maximum(want - 1, kind.min)),
            ("the output has the opposite sign", lambda want: np.minimum(-want, kind.max)),
            (f"the output is {kind.max}", lambda want: np.full_like(want, kind.max)),
            (f"the output is {kind.min}", lambda want: np.full_like(want, kind.min))):
        yield words, lambda number, change=change: change(expected[number].astype(np.int64))
    for bit in range(kind.bits):
        for words, change in (("inverted", np.bitwise_xor), ("1", np.bitwise_or),
                              ("0", lambda want, mask: want & ~mask)):
            mask = -1 << bit if bit == kind.bits - 1 else 1 << bit
            yield f"bit {bit} of the output is {words}", (
                lambda number, change=change, mask=mask: change(
                    expected[number].astype(np.int64), mask))
    yield "the output is the one at the same place of the case before", lambda number: (
        np.resize(expected[number - 1], expected[number].shape)
        if number and expected[number - 1].size >= expected[number].size else expected[number])
    for name in dict.fromkeys(name for case, want in zip(cases, expected, strict=True)
                              for name in axes_of(case, want.shape)):
        for words, place in (("first", 0), ("last", -1)):
            yield f"the output is the one of the {words} {name}", partial(
                _taken, cases, expected, name, lambda count, place=place: [place] * count)
        for words, step in (("before", -1), ("behind", 1)):
            yield f"the output is the one of the {name} {words}", partial(
                _taken, cases, expected, name, lambda count, step=step: np.clip(
                    np.arange(count) + step, 0, count - 1))


def _earlier(want, step):
    """Each element ``step`` places earlier; the first or the last one stays."""
    flat = want.reshape(-1)
    return flat[np.clip(np.arange(flat.size) - step, 0, flat.size - 1)].reshape(want.shape)


def _taken(cases, expected, name, order, number):
    """The expected output with other places along an axis."""
    want = expected[number]
    axes = axes_of(cases[number], want.shape)
    if name not in axes:
        return want
    axis = axes.index(name)
    return want.take(order(want.shape[axis]), axis)


def _count_told(name, source, wrong):
    """Number of ``wrong`` outputs as evidence for a rearrangement of ``source``.

    Elements added by a delay do not count; moved elements with a single value are no evidence.
    """
    count = _COUNTS.get(name, 0)
    moved = source.reshape(-1)[:source.size - count]
    return max(wrong - count, 0) if len(np.unique(moved)) > 1 else 0


def _matches(case, want, got, before):
    """Yield the rearrangements from ``want`` to ``got``, the simplest first.

    ``before`` is the preceding case's expected output, or None.
    """
    flat, other = want.reshape(-1), np.asarray(got).reshape(-1)
    yield from _moved(flat, other)
    yield from _turned(case, want, other)
    yield from _changed(flat, other)
    for size in _GROUPS:
        whole = len(flat) // size * size
        if whole and np.array_equal(flat[:whole].reshape(-1, size)[:, ::-1].reshape(-1),
                                    other[:whole]) and (flat[:whole] != other[:whole]).any():
            yield f"every {size} elements are in reversed order"
    if before is not None:
        size = min(before.size, len(other))
        if size > 1 and np.array_equal(before.reshape(-1)[:size], other[:size]):
            yield _BEFORE


def _moved(flat, other):
    for count in _LATE[:2]:
        if len(flat) > count and np.array_equal(other, np.roll(flat, count)):
            yield f"the results are the expected outputs turned by {_words(count)}"
    for count in _LATE:
        if len(flat) < 2 * count:
            return
        if np.array_equal(other[count:], flat[:-count]):
            yield _SHIFTED.format(_words(count), "late")
        if np.array_equal(other[:-count], flat[count:]):
            yield _SHIFTED.format(_words(count), "early")


def _words(count):
    return f"{_WORDS.get(count, count)} element{'s' * (count > 1)}"


def _turned(case, want, other):
    """Yield sentences on swapped or reversed axes."""
    axes  = axes_of(case, want.shape)
    axis_of = {name: number for number, name in enumerate(axes)}
    for one, two, words in (("row", "column", "height and width are swapped"),
                            ("row", "channel", "height and channels are swapped"),
                            ("column", "channel", "width and channels are swapped")):
        if one in axis_of and two in axis_of:
            turned = np.swapaxes(want, axis_of[one], axis_of[two]).reshape(-1)
            if np.array_equal(turned, other):
                yield words
    if {"row", "column", "channel"} <= axis_of.keys():
        rest  = [number for name, number in axis_of.items() if name != "channel"]
        first = axis_of["channel"] < axis_of["row"]
        order = [*rest, axis_of["channel"]] if first else [
            *(number for name, number in axis_of.items() if name == "batch"), axis_of["channel"],
            *(axis_of[name] for name in ("row", "column"))]
        if np.array_equal(want.transpose(order).reshape(-1), other):
            yield (f"channels are {'last in place of first' if first else 'first in place of last'}"
                   f" in memory")
    yield from _exchanged(want, other, axis_of)
    for name, words in (("channel", "the channel order is reversed"),
                        ("row", "the order of the rows is reversed"),
                        ("column", "the order of the columns is reversed"),
                        ("batch", "the order of the batches is reversed")):
        if name in axis_of and want.shape[axis_of[name]] > 1 and np.array_equal(
                np.flip(want, axis_of[name]).reshape(-1), other):
            yield words
    if np.array_equal(want.reshape(-1)[::-1], other):
        yield "the order of all elements is reversed"


def _exchanged(want, other, axis_of):
    """Yield sentences on exchanged or turned neighbours along an axis."""
    for name in axis_of:
        count = want.shape[axis_of[name]] if name in axis_of else 1
        if count < 2:
            continue
        last = np.take(want, [*range(count - 1), count - 2], axis_of[name])
        if np.array_equal(last.reshape(-1), other):
            yield f"the last {name} is the one before it"
        order = [place ^ 1 if place ^ 1 < count else place for place in range(count)]
        if np.array_equal(np.take(want, order, axis_of[name]).reshape(-1), other):
            yield f"every 2 {name}s are exchanged"
        for place, words in ((0, "first"), (count - 1, "last")):
            if np.array_equal(np.take(want, [place] * count, axis_of[name]).reshape(-1), other):
                yield f"every {name} is the {words} one"
        for step, words in ((1, "one before"), (-1, "next one")):
            if np.array_equal(np.roll(want, step, axis_of[name]).reshape(-1), other):
                yield f"every {name} is the {words}"


def _changed(flat, other):
    """Yield sentences on changes common to all elements."""
    if flat.dtype.itemsize > 1 and np.array_equal(flat.byteswap(), other.astype(flat.dtype)):
        yield "the bytes of every element are swapped"
    if np.array_equal(flat.astype(np.int64) ^ -(1 << 8 * flat.dtype.itemsize - 1),
                      other.astype(np.int64)) or np.array_equal(
            np.bitwise_xor(flat, np.iinfo(flat.dtype).min), other.astype(flat.dtype)):
        yield "the highest bit of every element is inverted"
    limits = np.iinfo(flat.dtype)
    if np.array_equal(np.clip(-flat.astype(np.int64), limits.min, limits.max), other):
        yield "every element has the opposite sign"
    bits = other.astype(np.int64) ^ flat
    if np.bitwise_count(np.bitwise_or.reduce(bits & (1 << limits.bits) - 1)) == 1:
        bit = int(np.bitwise_or.reduce(bits & (1 << limits.bits) - 1)).bit_length() - 1
        ends = np.unique(other >> bit & 1)
        if len(ends) == 1:
            yield f"bit {bit} of every element is {ends[0]}"
    if not other.any():
        yield CONSTANT[0]
    elif (other == other[0]).all() and len(other) > 1:
        yield CONSTANT[1]


_COUNTS = {_SHIFTED.format(_words(count), way): count for count in _LATE
           for way in ("late", "early")}  #: Elements of a delay or an advance.
#: Elements that a result must exceed to show it.
_NEEDS  = {name: 2 * count - 1 for name, count in _COUNTS.items()} | {_BEFORE: 1, CONSTANT[1]: 1}
