"""How sums become elements, step by step: that of a library, or of an accelerator under a Rule."""

from dataclasses import dataclass, replace

from .rounding import Limit, Rounding
from .rule import When, Zero

__all__ = ["Narrowing"]

_WHOLE = 64  #: Bits from which on nothing is limited.

_SAME = ("first", "last", "once", "acc_bits", "acc_limit", "when", "block",
         "folded", "bias_bits", "bias_limit", "bias_after", "padding", "zero", "activation",
         "counted", "inputs", "inputs_once", "apart")
#: What there is no choice of, by what is not there.
_WITHOUT = {"first": "two_shifts", "once": "two_shifts", "counted": "mean", "inputs": "terms",
            "inputs_once": "two_terms", "apart": "two_terms"}


@dataclass(frozen=True)
class Narrowing:
    """Everything about the way of a sum that is the same for all outputs of a layer.

    Parameters
    ----------
    first, last : Rounding, of the shift before the last, if there is one, and of the last
    out_bits : of an element
    shifts : 1 or 2
    once : bool, whether both shifts are one
    last_bits : where adding one half saturates, see ``shift_right``; 0: nowhere, or where what it
        gives saturates all the same
    multiplier_bits : of the library's multiplier, sign included; 0 for none
    kept_bits, multiplier_rounding : of a multiplier that loses bits
    acc_bits, acc_limit, when, block, folded, bias_bits, bias_limit, bias_after, padding, zero,
        activation, counted, inputs, inputs_once, apart : see ``Rule``
    mean : bool, whether the output is the mean of a window
    terms : shifts of each input of a sum of tensors, 1 or 2; 0 of all else
    terms_bits : as ``last_bits``, of inputs
    work_bits : where the sum wraps that is shifted left before the multiplier
    middle_bits, middle_limit : of the result of the first shift
    product_bits : where the product with the multiplier wraps, addend included
    scaled_bits, scaled_limit : of the result of the last
    final_shift : bits of a third shift, rounded as the last
    offset_bits, offset_limit : of the sum with the zero point
    out : Limit
    """

    last:                Rounding
    out_bits:            int = 8
    shifts:              int = 1
    first:               Rounding = Rounding.UP
    once:                bool = False
    last_bits:           int = 0
    multiplier_bits:     int = 0
    kept_bits:           int = _WHOLE
    multiplier_rounding: Rounding = Rounding.FLOOR
    acc_bits:            int = 32
    acc_limit:           Limit = Limit.WRAP
    when:                When = When.END
    block:               int = 1
    folded:              bool = False
    bias_bits:           int = _WHOLE
    bias_limit:          Limit = Limit.WRAP
    bias_after:          bool = False
    padding:             bool = False
    mean:                bool = False
    counted:             bool = False
    terms:               int = 0
    terms_bits:          int = 0
    inputs:              Rounding = Rounding.AWAY
    inputs_once:         bool = False
    apart:               bool = False
    work_bits:           int = _WHOLE
    middle_bits:         int = _WHOLE
    middle_limit:        Limit = Limit.SATURATE
    product_bits:        int = _WHOLE
    scaled_bits:         int = _WHOLE
    scaled_limit:        Limit = Limit.SATURATE
    final_shift:         int = 0
    zero:                Zero = Zero.ROUNDED
    offset_bits:         int = _WHOLE
    offset_limit:        Limit = Limit.SATURATE
    out:                 Limit = Limit.SATURATE
    activation:          bool = True

    def under(self, rule):
        """The same of an accelerator that differs by ``rule``."""
        given   = rule.given
        there   = {"two_shifts": self.shifts > 1, "mean": self.mean, "terms": self.terms,
                   "two_terms": self.terms > 1}
        changes = {name: given[name] for name in _SAME
                   if name in given and there.get(_WITHOUT.get(name), True)}
        if rule.multiplier_bits is not None and rule.multiplier_bits < self.multiplier_bits:
            changes["kept_bits"] = rule.multiplier_bits
            changes["multiplier_rounding"] = rule.multiplier_rounding or Rounding.FLOOR
        if rule.scaled_bits is not None:
            changes |= {"scaled_bits": rule.scaled_bits, "scaled_limit": Limit.SATURATE}
        if rule.out is not None:
            changes["out"] = rule.out
            if rule.out is Limit.WRAP:
                changes["offset_bits"] = _WHOLE
        return replace(self, **changes)
