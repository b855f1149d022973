# SPDX-License-Identifier: Apache-2.0
"""uint8 cases of TensorFlow Lite: int8 cases with 128 added to elements, zero points and clips.

Source: tensorflow/lite/kernels/internal/reference/conv.h, ``Conv`` of uint8, and its likes. All
outputs share a scale, and the zero point of the weights is 128.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xymac.host.kit.device.adapter import Supports
    from xymac.host.kit.stimuli.draw import Draw

__all__ = ["OFFSET", "signed_limits", "unsigned_notes"]

OFFSET = 128
_MOVED = ("input_zero", "output_zero", "second_zero", "low", "high", "input", "weights")


def _moved(support):
    """Quantities with the offset."""
    return [name for name in _MOVED if name != "input" or support.operation != "requantise"]


def signed_limits(support: Supports) -> dict[str, Any]:
    """Limits of a uint8 Supports as limits of its int8 cases, a dict; functions stay, as they bind
    whole cases.
    """
    limits = {"scales": (1,)} | support.limits
    for name in _moved(support):
        limit = limits.get(name)
        if isinstance(limit, range):
            limits[name] = range(limit.start - OFFSET, limit.stop - OFFSET, limit.step)
        elif limit is not None and not callable(limit):
            limits[name] = tuple(value - OFFSET for value in limit)
    return limits


def unsigned_notes(support: Supports, draw: Draw) -> tuple[Any, Any]:
    """(hits, left_out) of a Draw in the numbers of the device; see ``Stimuli``."""
    moved = set(_moved(support))

    def up(name, value):
        return value + OFFSET if name in moved and isinstance(value, int) else value

    hits = {name: {up(name, value): count for value, count in each.items()}
            for name, each in draw.hits.items()}
    left = {name: [up(name, value) for value in values]
            for name, values in draw.left_out.items() if name != "scales"}
    return hits, left
