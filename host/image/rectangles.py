# SPDX-License-Identifier: Apache-2.0
"""Moved elements as two-dimensional transfers: rows with a stride on both sides."""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

__all__ = ["Rectangle", "cut_rectangles"]

_MOST_ROWS = 0xFFFF
_LONGEST   = 1 << 20  # bytes a row
_RECTANGLE = 40       # cycles of a transfer, see ``_work``
_ROW       = 1
_FEW       = 8        # rectangles that need no better cut
_NEAR      = 64       # rows among which two that one distance connects are looked for
_MOST_KNOWN = 1024    # cuts in ``_known``

_known = {}  # Rectangles by digest of the relative positions: builds of an image repeat most cuts


@dataclass(frozen=True)
class Rectangle:
    """A two-dimensional transfer: ``rows`` rows with ``size`` units each.

    Parameters
    ----------
    core, external : int, position of the first unit on both sides
    size, rows : int
    core_stride, external_stride : int, distance between rows; 0 for a single row
    """

    core:     int
    external: int
    size:     int
    rows:     int = 1
    core_stride:     int = 0
    external_stride: int = 0


def cut_rectangles(core, external, longest=_LONGEST):
    """Rectangle list moving unit ``external[i]`` to or from unit ``core[i]``, each i once.

    Parameters
    ----------
    core, external : int position arrays [units], the core's all different
    longest : int, maximum units per row
    """
    core, external = (np.asarray(each, np.int64) for each in (core, external))
    if not core.size:
        return []
    base = int(core[0]), int(external[0])
    core, external = core - base[0], external - base[1]
    key = longest, blake2b(core).digest(), blake2b(external).digest()
    if key not in _known:
        if len(_known) == _MOST_KNOWN:
            _known.clear()
        _known[key] = _cut(core, external, longest)
    return [Rectangle(each.core + base[0], each.external + base[1], each.size, each.rows,
                      each.core_stride, each.external_stride) for each in _known[key]]


def _cut(core, external, longest):
    """The Rectangles of ``cut_rectangles``."""
    order = np.argsort(core, kind="stable")
    core, external = core[order], external[order]
    repeats = _repeats(external)
    cuts = [_find_rows(core[order], external[order], longest) for order in (
        slice(None), np.lexsort([external, repeats]))]
    best = min(([*_stack(*rows)] for rows in cuts), key=_work)
    if len(best) > _FEW:
        best = min((best, *([*_chain(*rows)] for rows in cuts)), key=_work)
    return best


def _repeats(external):
    """Earlier occurrences for each external unit, in core order."""
    order  = np.argsort(external, kind="stable")
    ordered = external[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    counts = np.diff(np.append(starts, len(ordered)))
    repeats = np.empty(len(external), np.int64)
    repeats[order] = np.arange(len(ordered)) - np.repeat(starts, counts)
    return repeats


def _work(rectangles):
    """Estimated Rectangle cycles beside their data: adjacent rows cost none."""
    return sum(_RECTANGLE + (0 if each.rows == 1 or each.external_stride == each.size
                             else _ROW * each.rows) for each in rectangles)


def _find_rows(core, external, longest):
    """(Core, external, sizes) for rows of units adjacent on both sides."""
    breaks = (np.diff(core) != 1) | (np.diff(external) != 1)
    starts = np.concatenate([[0], np.flatnonzero(breaks) + 1])
    sizes  = np.diff(np.append(starts, core.size))
    if sizes.max() > longest:
        starts = np.concatenate([np.arange(start, start + size, longest)
                                 for start, size in zip(starts, sizes, strict=True)])
        sizes  = np.diff(np.append(starts, core.size))
    return core[starts], external[starts], sizes


def _stack(core, external, sizes):
    """Yield Rectangles for rows with equal sizes and equal distances."""
    steps = np.diff(core), np.diff(external)
    alike = sizes[1:] == sizes[:-1]
    same  = (steps[0][1:] == steps[0][:-1]) & (steps[1][1:] == steps[1][:-1]) & alike[1:] & alike[
        :-1] if len(core) > 2 else np.zeros(0, bool)  # [i]: row i + 2 follows rows i and i + 1
    ends  = np.append(np.flatnonzero(~same), len(same))
    start, count = 0, len(core)
    while start < count:
        rows = 1
        if start + 1 < count and alike[start]:
            rows = 2 + int(ends[np.searchsorted(ends, start)] - start) if start < len(same) else 2
        rows = min(rows, _MOST_ROWS)
        yield Rectangle(int(core[start]), int(external[start]), int(sizes[start]), rows,
                        int(steps[0][start]) if rows > 1 else 0,
                        int(steps[1][start]) if rows > 1 else 0)
        start += rows


def _chain(core, external, sizes):
    """Yield Rectangles for rows that a single distance connects, preferring the distance with the
    fewest Rectangles."""
    order = np.argsort(core)
    core, external, sizes = core[order], external[order], sizes[order]
    begin = np.array([0, len(core) // 2])
    aside = np.arange(1, min(_NEAR, len(core) - int(begin[1])))
    pairs = {*zip((core[begin[:, None] + aside] - core[begin][:, None]).ravel().tolist(),
                  (external[begin[:, None] + aside] - external[begin][:, None]).ravel().tolist(),
                  strict=True)}
    if not pairs:
        return
    steps = max(sorted(pairs), key=lambda pair: np.count_nonzero(
        _following(core, external, sizes, *pair) >= 0))
    after = _following(core, external, sizes, *steps)
    is_head = np.ones(len(core), bool)
    is_head[after[after >= 0]] = False
    for head in np.flatnonzero(is_head).tolist():
        start, rows, at = head, 1, head
        while after[at] >= 0:
            at, rows = int(after[at]), rows + 1
            if rows == _MOST_ROWS and after[at] >= 0:
                yield _rectangle(core, external, sizes, start, rows, steps)
                start, rows, at = int(after[at]), 1, int(after[at])
        yield _rectangle(core, external, sizes, start, rows, steps)


def _rectangle(core, external, sizes, start, rows, steps):
    return Rectangle(int(core[start]), int(external[start]), int(sizes[start]), rows,
                     *(steps if rows > 1 else (0, 0)))


def _following(core, external, sizes, core_step, external_step):
    """For each row the index of the row at these distances with its size, or -1; ``core`` ascends.
    """
    found = np.searchsorted(core, core + core_step).clip(0, len(core) - 1)
    fits  = ((core[found] == core + core_step) & (external[found] == external + external_step)
             & (sizes[found] == sizes))
    return np.where(fits, found, -1)
