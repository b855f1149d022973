# SPDX-License-Identifier: Apache-2.0
"""Element positions as short number programs: paths, see ``xymac_network.h``."""

import numpy as np

__all__ = ["FILL", "ZERO", "encode_path"]

ZERO, FILL = -1, -2  #: Codes for a zero, and for the fill value of positions outside.

_ELEMENTS, _ZEROS, _FILLS, _LOOP = range(4)
_DEPTH  = 4   # loops in loops at most
_PERIOD = 48  # longest loop body, items


def encode_path(elements):
    """Numbers (int32) for a path along ``elements``.

    ``elements`` has the element index at every position in order, ZERO or FILL.
    """
    items = list(_runs(np.asarray(elements, np.int64)))
    for _ in range(_DEPTH):
        shorter = _fold(items)
        if len(shorter) == len(items):
            break
        items = shorter
    return np.array([number for item in items for number in _numbers(item)], np.int32)


def _runs(elements):
    """Path items: (_ELEMENTS, count, jump, step) or (_ZEROS or _FILLS, count)."""
    steps = np.diff(elements)
    place, last, size = 0, 0, len(elements)
    # Positions where the step changes; ZERO and FILL have step 0.
    turns = np.append(np.flatnonzero(np.diff(steps)) + 1, max(size - 1, 0))
    empty = elements < 0
    edges = np.append(np.flatnonzero(np.diff(elements < 0)) + 1, size)
    while place < size:
        edge = edges[np.searchsorted(edges, place, "right")]  # end of a run
        end  = min(turns[np.searchsorted(turns, place, "right")] + 1 if place < size - 1 else size,
                   edge)
        if empty[place]:
            end = place + 1
            while end < size and elements[end] == elements[place]:
                end += 1
            yield (_ZEROS if elements[place] == ZERO else _FILLS), end - place
        else:
            count = int(end - place)
            step  = int(steps[place]) if count > 1 else 0
            yield _ELEMENTS, count, int(elements[place]) - last, step
            last = int(elements[end - 1])
        place = int(end)


def _fold(items):
    """Items in which consecutive repetitions are loops."""
    codes  = {item: code for code, item in enumerate(dict.fromkeys(items))}
    ids    = np.array([codes[item] for item in items])
    starts = np.cumsum([0, *(len(_numbers(item)) for item in items)])  # numbers before each
    saved, period, count = (np.zeros(len(items), np.int64) for _ in range(3))
    for length in range(1, min(_PERIOD, len(items) // 2) + 1):
        differs = np.append(np.flatnonzero(ids[length:] != ids[:-length]), len(ids) - length)
        places  = np.arange(len(ids) - length)
        equal   = differs[np.searchsorted(differs, places)] - places
        repeats = equal // length
        numbers = starts[places + length] - starts[places]
        better  = np.flatnonzero(repeats * numbers - 2 > saved[places])
        saved[better]  = (repeats * numbers - 2)[better]
        period[better] = length
        count[better]  = repeats[better] + 1
    folded, place = [], 0
    while place < len(items):
        if period[place]:
            body = tuple(items[place:place + period[place]])
            folded.append((_LOOP, int(count[place]), body))
            place += period[place] * count[place]
        else:
            folded.append(items[place])
            place += 1
    return folded


def _numbers(item):
    """An item's numbers."""
    kind, count, *rest = item
    if kind == _LOOP:
        body = [number for inner in rest[0] for number in _numbers(inner)]
        rest = [len(body), *body]
    return [count << 2 | kind, *rest]
