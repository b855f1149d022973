# SPDX-License-Identifier: Apache-2.0
"""Name the limits that exclude every case."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from xymac.host.kit.limits import describe_limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from xymac.host.kit.device.adapter import Supports

__all__ = ["find_blame"]


def find_blame(support: Supports, has_case: Callable[[dict], bool]) -> str:
    """A phrase on a Supports's limits without a case, "" if none is found.

    ``has_case`` tells whether limits, a dict, leave a case.
    """
    limits = dict(support.limits)
    for count in (1, 2):
        for names in combinations(limits, count):
            if not has_case({name: limits[name] for name in names}):
                parts = " and ".join(describe_limit(name, limits[name]) for name in names)
                return f"; the kit finds no case with {parts}"
    guilty = [name for name in limits if has_case({
        other: limit for other, limit in limits.items() if other != name})]
    if guilty:
        return f"; there are cases without the limit of {' or of '.join(guilty)}"
    return ""
