"""Fields of a pass for the output stages, each at the cycle in which its stage uses it."""

from amaranth import signed, unsigned
from amaranth.lib import data

from hdl.entries import PLACE_BITS
from hdl.isa import ELEMENT_BITS, RoundMode

__all__ = ["STAGES", "OutputConfig"]

_INDEX = signed(PLACE_BITS + 1)

#: By stage of a column, see ``STAGES``. The range of the pass is ``wide``: 40 bits; ``keep``: the
#: sum is written. ``less`` is the complement of what is subtracted from the sum; ``halve`` then
#: clears its lowest bit; ``amount`` is the right shift of ``sum * 2**-SHIFT_MIN``, or with ``post``
#: that of the parameters. ``held``: the shifted sum must fit 40 bits; ``amount`` is so much larger
#: then that 18 bits tell. The highest element is ``high``, the lowest one less by ``span``;
#: ``bottom`` is the lowest one plus the zero point, or the output itself if that is ``fixed``.
#: ``fine`` and ``coarse`` shift an element to the left. ``top`` is the index of the last but one
#: entry of the table, counted from the entry for an element 0; the index of the first entry is less
#: by ``span``, and its address is twice ``half``.
OutputConfig = data.StructLayout({
    "subtract": data.StructLayout({"wide": 1, "keep": 1, "scaled": 1}),
    "shift":    data.StructLayout({"less": signed(16), "scaled": 1, "post": 1, "halve": 1,
                                   "amount": unsigned(6)}),
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

#: Cycles from a sum at its column to the stage that uses these fields of its pass.
STAGES = {"subtract": 1, "shift": 2, "round": 5, "flag": 6, "compare": 7, "clip": 8, "fine": 9,
          "coarse": 10, "index": 11, "bound": 12, "place": 13, "read": 16, "weigh": 18, "take": 19,
          "narrow": 20}
