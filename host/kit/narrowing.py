# SPDX-License-Identifier: Apache-2.0
"""Conversion from sums to elements, step by step, in a library or in an accelerator under a Rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .rounding import Limit, Rounding
from .rule import When, Zero

if TYPE_CHECKING:
    from xymac.host.kit.rule import Rule

__all__ = ["Narrowing"]

_WHOLE = 64  #: Width without a limit.

_SAME = ("first", "last", "once", "acc_bits", "acc_limit", "when", "block",
         "folded", "bias_bits", "bias_limit", "bias_after", "padding", "zero", "activation",
         "counted", "inputs", "inputs_once", "apart", "unsigned_inputs", "unsigned_weights",
         "raw_inputs", "raw_weights", "left_after", "logical", "middle_bits", "middle_limit")
#: Options that do not apply, by missing stage.
_WITHOUT = {"first": "two_shifts", "once": "two_shifts", "counted": "mean", "inputs": "terms",
            "inputs_once": "two_terms", "apart": "two_terms", "middle_bits": "two_shifts",
            "middle_limit": "middle", "unsigned_inputs": "stored", "unsigned_weights": "stored",
            "raw_inputs": "stored", "raw_weights": "based",
            "left_after": "two_shifts"}


@dataclass(frozen=True)
class Narrowing:
    """Common properties of a layer's conversion from sum to element.

    Parameters
    ----------
    first, last : Rounding at the first of two shifts, and at the last or only shift
    out_bits : element width
    shifts : 1 or 2
    once : bool, whether both shifts are merged
    last_bits : width at which the rounding addition saturates, see ``shift_right``; 0 if it does
        not, or if a later limit hides it
    multiplier_bits : the library's multiplier width with its sign; 0 for none
    kept_bits, multiplier_rounding : a shortened multiplier's width and rounding
    acc_bits, acc_limit, when, block, folded, bias_bits, bias_limit, bias_after, padding, zero,
        activation, counted, inputs, inputs_once, apart, unsigned_inputs, unsigned_weights,
        raw_inputs, raw_weights, left_after, logical : see ``Rule``
    input_bits, weight_bits : stored widths; 0 if elements are not stored
    base : stored elements and weights minus these elements and weights: 128 for uint8
    mean : bool, whether the output is a window mean
    terms : shift count for each input in a tensor sum, 1 or 2; 0 for other operations
    terms_bits : the inputs' ``last_bits``
    work_bits : width at which the left-shifted sum wraps before the multiplication
    middle_bits, middle_limit : the first shift's result width and Limit
    product_bits : width at which the product with the multiplier wraps, addend included
    scaled_bits, scaled_limit : the last shift's result width and Limit
    final_shift : third shift, bits, rounded like the last
    offset_bits, offset_limit : width and Limit for the sum with the zero point
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
    input_bits:          int = 0
    weight_bits:         int = 8
    unsigned_inputs:     bool = False
    unsigned_weights:    bool = False
    base:                int = 0
    raw_inputs:          bool = False
    raw_weights:         bool = False
    left_after:          bool = False
    logical:             int = 0
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

    def under(self, rule: Rule) -> Narrowing:
        """Narrowing for an accelerator with ``rule``'s differences."""
        given   = rule.given
        there   = {"stored": self.input_bits > 0, "based": self.input_bits > 0 < self.base,
                   "two_shifts": self.shifts > 1,
                   "middle": self.shifts > 1 and rule.middle_bits is not None,
                   "mean": self.mean, "terms": self.terms,
                   "two_terms": self.terms > 1}
        changes = {name: given[name] for name in _SAME
                   if name in given and there.get(_WITHOUT.get(name, ""), True)}
        if rule.multiplier_bits is not None and rule.multiplier_bits < self.multiplier_bits:
            changes["kept_bits"] = rule.multiplier_bits
            changes["multiplier_rounding"] = rule.multiplier_rounding or Rounding.FLOOR
        if rule.out is not None:
            changes["out"] = rule.out
            if rule.out is Limit.WRAP:
                changes["offset_bits"] = _WHOLE
        if rule.logical is not None:  # which an adder of 32 bits would wrap
            changes["offset_bits"] = _WHOLE
        return self._with(changes) if changes else self

    def _with(self, changes):
        """``replace`` without a call of 40 arguments: a search makes thousands of Narrowings."""
        other = object.__new__(Narrowing)
        other.__dict__.update(self.__dict__, **changes)
        return other
