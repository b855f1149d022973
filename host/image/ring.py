# SPDX-License-Identifier: Apache-2.0
"""Memory positions for items of successive periods: fixed where they fit, else in a ring."""

__all__ = ["place_in_ring"]


def place_in_ring(sizes, uses, room, align=1, *, ends=False, within=None):
    """Positions for the items of successive periods: (fixed, moving).

    Parameters
    ----------
    sizes : dict of int, each item's size
    uses : list of lists of items, a list per period
    room : int, memory size
    align : int, alignment for every position
    ends : bool, place items of successive periods at both memory ends in turn, as far as possible
        from the preceding period's items; else in a ring
    within : dict of int, end limits for items that cannot lie anywhere

    Returns
    -------
    fixed : dict, positions for items that stay
    moving : list of dicts, per period: (position, whether to load) for its other items

    None if the items of a period do not fit.
    """
    sizes  = {item: -(-size // align) * align for item, size in sizes.items()}
    loads  = {item: sum(item in use and (not index or item not in uses[index - 1])
                        for index, use in enumerate(uses)) for item in sizes}
    room   = room // align * align
    within = dict.fromkeys(sizes, room) | {
        item: min(room, end // align * align) for item, end in (within or {}).items()}
    fixed, first = {}, 0
    for item in sorted(sizes, key=lambda item: (-loads[item], sizes[item])):
        others = [sum(sizes[each] for each in {*use} - fixed.keys() - {item}) for use in uses]
        both   = [a + b for a, b in zip(others, [*others[1:], 0], strict=True)]
        if first + sizes[item] + max(both, default=0) <= room and (
                first + sizes[item] <= within[item]):
            fixed[item] = first
            first += sizes[item]
    moving = (_Ends if ends else _Ring)(sizes, first, within).place([
        [item for item in dict.fromkeys(use) if item not in fixed] for use in uses])
    return None if moving is None else (fixed, moving)


class _Ring:
    """Positions from ``first`` on, taken in turn; each item ends ``within`` its limit."""

    def __init__(self, sizes, first, within):
        self._sizes, self._first, self._within = sizes, first, within
        self._next, self._held = first, {}

    def place(self, uses):
        """See ``place_in_ring``; ``uses`` lacks the fixed items."""
        moving = []
        for use in uses:
            placed = self._place(use)
            if placed is None:
                return None
            moving.append(placed)
        return moving

    def _place(self, use):
        """Positions for the items of a period."""
        kept  = {item: self._held[item] for item in use if item in self._held}
        start = self._next
        found = self._try(use, kept)
        if found is None:
            self._next, self._held = self._first, {}
            found = self._try(use, {})
        if found is None:
            self._next = start
            return None
        return {item: (found[item], item not in kept or kept[item] != found[item])
                for item in use}

    def _try(self, use, kept):
        """Positions for all items beside the ``kept``, or None."""
        found, after = dict(kept), self._next
        for item in use:
            if item in found:
                continue
            at = self._find(after, item, found)
            if at is None:
                return None
            found[item], after = at, at + self._sizes[item]
        self._next = after
        for item in use:
            self._drop(found[item], self._sizes[item], use)
            self._held[item] = found[item]
        return found

    def _find(self, after, item, found):
        """The first free position from ``after`` on, around the ring."""
        size = self._sizes[item]
        for at in (after, self._first, *sorted(found[other] + self._sizes[other]
                                               for other in found)):
            if self._first <= at and at + size <= self._within[item] and all(
                    at + size <= place or place + self._sizes[other] <= at
                    for other, place in found.items()):
                return at
        return None

    def _drop(self, at, size, use):
        """Forget items that overlap a new item."""
        self._held = {item: place for item, place in self._held.items() if item in use
                      or at + size <= place or place + self._sizes[item] <= at}


class _Ends(_Ring):
    """Positions from both ends in turn, with the least overlap with the preceding period."""

    def __init__(self, sizes, first, within):
        super().__init__(sizes, first, within)
        self._rises, self._before = True, {}

    def _place(self, use):
        placed = super()._place(sorted(use, key=lambda item: -self._sizes[item]))
        if placed is not None:
            if any(is_new for _, is_new in placed.values()):
                self._rises = not self._rises
            self._before = {item: at for item, (at, _) in placed.items()}
        return placed

    def _find(self, after, item, found):
        """The free position with the least overlap with the preceding period's items."""
        size = self._sizes[item]
        last, around = self._within[item] - size, {**self._before, **found}
        spots = [self._first, last, *(at + self._sizes[other] for other, at in around.items()),
                 *(at - size for at in around.values())]
        free  = [at for at in spots if self._first <= at <= last
                 and not self._overlap(at, size, found)]
        return min(free, default=None, key=lambda at: (
            self._overlap(at, size, self._before), at if self._rises else -at))

    def _overlap(self, at, size, items):
        """Overlap between the ``items`` and ``size`` units from ``at`` on."""
        return sum(max(0, min(at + size, place + self._sizes[item]) - max(at, place))
                   for item, place in items.items())
