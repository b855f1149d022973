# SPDX-License-Identifier: Apache-2.0
"""Wrong results that hold the right output at other places: late, transposed, reversed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .axes import axes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case

__all__ = ["find_copy"]

_LATE   = (1, 2, 3, 4, 8, 16)   #: Elements by which a result may be late or early.
_GROUPS = (4, 8, 16, 32)        #: Elements of a word whose order may be reversed.
_ENOUGH = 8                     #: Elements of results with different ones, at least.
_SHARE  = 0.95                  #: Cases that a copy explains, at least.
_WORDS  = {1: "one", 2: "two", 3: "three", 4: "four"}
_SHIFTED = "the results are the expected outputs {} {}"


def find_copy(cases: Sequence[Case], expected: Sequence[np.ndarray], results: Sequence[np.ndarray],
              wrong: Sequence[int]) -> str:
    """A sentence on what all wrong results are copies of, "" if nothing explains them.

    Parameters
    ----------
    cases, expected, results : lists, in the order in which the device was asked
    wrong : numbers of the cases that differ
    """
    telling = [number for number in wrong if len(np.unique(expected[number])) > 1]
    if sum(expected[number].size for number in telling) < _ENOUGH:
        return ""
    found = {}
    for number in telling:
        before = expected[number - 1] if number else None
        for name in _matches(cases[number], expected[number], results[number], before):
            found[name] = found.get(name, 0) + 1
    for name, count in sorted(found.items(), key=lambda item: -item[1]):
        least = _NEEDS.get(name, 0)  # smaller results cannot tell
        if count >= max(_SHARE * sum(expected[number].size > least for number in telling), 1):
            return name
    return ""


def _matches(case, want, got, before):
    """Names of the copies that a wrong result is, the plainest first."""
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
            yield "the results are those of the case before"


def _moved(flat, other):
    for count in _LATE:
        if len(flat) <= count:
            return
        if np.array_equal(other[count:], flat[:-count]):
            yield _SHIFTED.format(_words(count), "late")
        if np.array_equal(other[:-count], flat[count:]):
            yield _SHIFTED.format(_words(count), "early")
    for count in _LATE[:2]:
        if np.array_equal(other, np.roll(flat, count)):
            yield f"the results are the expected outputs turned by {_words(count)}"


def _words(count):
    return f"{_WORDS.get(count, count)} element{'s' * (count > 1)}"


def _turned(case, want, other):
    """Axes that are swapped or reversed."""
    axes  = axes_of(case, want.shape)
    place = {name: number for number, name in enumerate(axes)}
    for one, two, words in (("row", "column", "height and width are swapped"),
                            ("row", "channel", "height and channels are swapped"),
                            ("column", "channel", "width and channels are swapped")):
        if one in place and two in place:
            turned = np.swapaxes(want, place[one], place[two]).reshape(-1)
            if np.array_equal(turned, other):
                yield words
    if {"row", "column", "channel"} <= place.keys():
        rest  = [number for name, number in place.items() if name != "channel"]
        first = place["channel"] < place["row"]
        order = [*rest, place["channel"]] if first else [
            *(number for name, number in place.items() if name == "batch"), place["channel"],
            *(place[name] for name in ("row", "column"))]
        if np.array_equal(want.transpose(order).reshape(-1), other):
            yield (f"channels are {'last in place of first' if first else 'first in place of last'}"
                   f" in memory")
    for name, words in (("channel", "the channel order is reversed"),
                        ("row", "the order of the rows is reversed"),
                        ("column", "the order of the columns is reversed")):
        if name in place and want.shape[place[name]] > 1 and np.array_equal(
                np.flip(want, place[name]).reshape(-1), other):
            yield words
    if np.array_equal(want.reshape(-1)[::-1], other):
        yield "the order of all elements is reversed"


def _changed(flat, other):
    """Elements that all have the same wrong change."""
    if flat.dtype.itemsize > 1 and np.array_equal(flat.byteswap(), other.astype(flat.dtype)):
        yield "the bytes of every element are swapped"
    if np.array_equal(flat.astype(np.int64) ^ -(1 << 8 * flat.dtype.itemsize - 1),
                      other.astype(np.int64)) or np.array_equal(
            np.bitwise_xor(flat, np.iinfo(flat.dtype).min), other.astype(flat.dtype)):
        yield "the highest bit of every element is inverted"
    if np.array_equal(-flat.astype(np.int64), other):
        yield "every element has the opposite sign"
    if not other.any():
        yield "every element is 0"
    elif (other == other[0]).all() and len(other) > 1:
        yield "all elements of a result are equal"


#: Elements that a result must exceed to tell a copy.
_NEEDS = {_SHIFTED.format(_words(count), way): count for count in _LATE
          for way in ("late", "early")}
