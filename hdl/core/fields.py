"""Fields of a pass for the output stages, each at the cycle in which its stage uses it."""

from amaranth import signed, unsigned
from amaranth.lib import data

from hdl.entries import PLACE_BITS
from hdl.isa import ELEMENT_BITS, RoundMode

__all__ = ["STAGES", "OutputConfig"]

_INDEX  = signed(PLACE_BITS + 1)
_LIMITS = data.ArrayLayout(signed(ELEMENT_BITS), 2)

#: By stage of a column, see ``STAGES``. ``anchor`` is added to the sum; the range of the pass is
#: ``wide``: 40 bits; ``keep``: the sum is written. ``halve`` clears the lowest bit of the anchored
#: sum; ``amount`` is the right shift of ``sum * 2**-SHIFT_MIN``, or the record's with ``post``.
#: ``held``: the shifted sum must fit 40 bits; ``amount`` is so much larger then that 18 bits tell.
#: ``index`` counts entries from the one for an element 0 (``top``: the last but one) or, with
#: ``offset``, from the first entry; ``span`` is the last but one from there, ``half`` half the
#: address of the first.
OutputConfig = data.StructLayout({
    "subtract": data.StructLayout({"anchor": signed(17), "wide": 1, "keep": 1, "scaled": 1}),
    "shift":    data.StructLayout({"scaled": 1, "post": 1, "halve": 1, "amount": unsigned(6)}),
    "round":    data.StructLayout({"rounding": RoundMode}),
    "flag":     data.StructLayout({"held": 1, "short": 1}),
    "compare":  data.StructLayout({"limits": _LIMITS}),
    "clip":     data.StructLayout({"limits": _LIMITS, "zero": signed(16)}),
    "coarse":   data.StructLayout({"amount": unsigned(2), "wide": 1, "short": 1}),
    "fine":     data.StructLayout({"amount": unsigned(2)}),
    "index":    data.StructLayout({"offset": _INDEX, "top": _INDEX}),
    "bound":    data.StructLayout({"span": unsigned(PLACE_BITS)}),
    "place":    data.StructLayout({"half": unsigned(PLACE_BITS - 1)}),
    "weigh":    data.StructLayout({"rounding": RoundMode}),
    "narrow":   data.StructLayout({"rounding": RoundMode, "wide": 1, "looks": 1})})

#: Cycles from a sum at its column to the stage that uses these fields of its pass.
STAGES = {"subtract": 1, "shift": 2, "round": 5, "flag": 6, "compare": 7, "clip": 8, "coarse": 9,
          "fine": 10, "index": 11, "bound": 12, "place": 13, "weigh": 19, "narrow": 21}
