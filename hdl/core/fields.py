# SPDX-License-Identifier: Apache-2.0
"""Pass fields for the output stages, each in the cycle in which its stage uses it."""

from amaranth import signed, unsigned
from amaranth.lib import data

from xymac.hdl.entries import PLACE_BITS
from xymac.hdl.isa import ELEMENT_BITS, RoundMode

__all__ = ["STAGES", "OutputConfig"]

_INDEX = signed(PLACE_BITS + 1)

#: Pass fields by pipeline stage, see ``STAGES``.
#:
#: - ``shift``: ``wide``, the accumulator range is 40 bits; ``keep``, the result is written or
#:   saved; ``less``, the complement of the subtracted anchor; ``halve`` clears the lowest bit
#:   of the difference; ``amount``, right shift of ``acc * 2**-SHIFT_MIN``; with ``post`` the shift
#:   is a per-channel parameter instead.
#: - ``flag``: ``held``, the saved accumulator must fit 40 bits; ``amount`` is then 22 larger, so
#:   the check of an 18-bit element decides. ``high`` is the highest element.
#: - ``compare``: the lowest element is ``high - span``.
#: - ``clip``: ``bottom``, the lowest element plus the zero point, or with ``fixed`` the output.
#: - ``fine``, ``coarse``: left shift of the element.
#: - ``index``: ``top``, index of the second to last table entry, relative to the entry for 0.
#: - ``bound``, ``place``: the first entry has index ``top - span`` and address ``2 * half``.
OutputConfig = data.StructLayout({
    "shift":    data.StructLayout({"wide": 1, "keep": 1, "less": signed(16), "scaled": 1,
                                   "post": 1, "halve": 1, "amount": unsigned(6)}),
    "round":    data.StructLayout({"rounding": RoundMode}),
    "flag":     data.StructLayout({"held": 1, "short": 1, "high": signed(ELEMENT_BITS)}),
    "compare":  data.StructLayout({"span": unsigned(ELEMENT_BITS)}),
    "clip":     data.StructLayout({"bottom": signed(ELEMENT_BITS), "fixed": 1}),
    "fine":     data.StructLayout({"amount": unsigned(2)}),
    "coarse":   data.StructLayout({"amount": unsigned(2), "wide": 1, "short": 1}),
    "index":    data.StructLayout({"top": _INDEX}),
    "bound":    data.StructLayout({"span": unsigned(PLACE_BITS)}),
    "place":    data.StructLayout({"half": unsigned(PLACE_BITS - 1)}),
    "read":     data.StructLayout({"looks": 1}),
    "weigh":    data.StructLayout({"rounding": RoundMode}),
    "take":     data.StructLayout({"looks": 1}),
    "narrow":   data.StructLayout({"rounding": RoundMode, "wide": 1})})

#: Cycles from an accumulator's arrival at its column to the stage that uses these fields.
STAGES = {"shift": 2, "round": 5, "flag": 6, "compare": 7, "clip": 8, "fine": 9,
          "coarse": 10, "index": 11, "bound": 12, "place": 13, "read": 16, "weigh": 18, "take": 19,
          "narrow": 20}
