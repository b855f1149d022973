# SPDX-License-Identifier: Apache-2.0
"""Passes adding up the two words of 32-bit elements."""

from xymac.host.ir.elementwise import split

__all__ = ["FACTORS32", "join_words32"]

_PARTS = split([1 << 16, 1])[..., 0]
#: Factors for the upper, then the lower word; their sum lacks ``LOW_OFFSET``.
FACTORS32 = tuple(_PARTS.ravel().tolist())


def join_words32(layout, constants):
    """Operands for passes (see ``over_channels``) that add up 32-bit elements.

    The sums lack ``LOW_OFFSET``. The first 16-bit words of the Constants are ``FACTORS32``.
    """
    count, parts = _PARTS.shape
    words = constants.word(0, 16, layout.ways, count=len(FACTORS32), taps=(0, parts, 1))
    return {"x": layout, "y": words, "taps": (1, count, parts), "x_taps": (0, layout.apart, 0)}
