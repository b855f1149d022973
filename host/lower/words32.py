# SPDX-License-Identifier: Apache-2.0
"""Passes that add up the two words of elements of 32 bits."""

from xymac.host.ir.elementwise import split

__all__ = ["FACTORS32", "join_words32"]

_PARTS = split([1 << 16, 1])[..., 0]
#: Factors of the upper and then of the lower word; what their sum lacks is ``LOW_OFFSET``.
FACTORS32 = tuple(_PARTS.ravel().tolist())


def join_words32(layout, constants):
    """Operands of passes (see ``over_channels``) that add up elements of 32 bits.

    What they lack is ``LOW_OFFSET``. The first words of the Constants, of 16 bits, are
    ``FACTORS32``.
    """
    count, parts = _PARTS.shape
    words = constants.word(0, 16, layout.ways, count=len(FACTORS32), taps=(0, parts, 1))
    return {"x": layout, "y": words, "taps": (1, count, parts), "x_taps": (0, layout.apart, 0)}
