# SPDX-License-Identifier: Apache-2.0
"""Differences between an accelerator's requantisation and the library's."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from typing import Any, get_args, get_type_hints

from .rounding import Limit, Rounding

__all__ = ["LIBRARY", "Rule", "When", "Zero"]


class When(Enum):
    """Time at which the accumulator limits apply to a sum; the value is a text."""

    END    = "once, at the end"
    BIAS   = "when the bias is added"  #: The products wrap.
    BEFORE = "before the bias is added"  #: The bias is added in full width.
    STEP   = "after every step"        #: A step adds one block of products.


class Zero(Enum):
    """Time at which the output zero point is added; the value is a text."""

    ROUNDED   = "adds the zero point to what is rounded"
    UNROUNDED = "adds the zero point before it rounds"
    CLIPPED   = "saturates before it adds the zero point"  #: And once more after it.
    WRAPPED   = "saturates before it adds the zero point, which wraps"


@dataclass(frozen=True, repr=False)
class Rule:
    """An accelerator's differences from the library; None in a field means no difference.

    A sum's conversion: products are added to the bias; the sum is multiplied and shifted right (in
    some libraries by two shifts, each with its own rounding); the zero point is added; the result
    is limited to the element range and the activation range.

    Parameters
    ----------
    first, last : Rounding at the first of two shifts, and at the last or only shift
    once : bool, whether a single shift replaces the library's two shifts
    multiplier_bits : int, multiplier width with its sign
    multiplier_rounding : Rounding for a shortened multiplier; FLOOR if None
    acc_bits, acc_limit, when : accumulator width, Limit and When
    block : int, products added per step
    folded : bool, whether the bias absorbs the input zero point, instead of the elements
    bias_bits, bias_limit : bias width and Limit
    unsigned_inputs, unsigned_weights : bool, whether stored elements count as numbers from 0 on
    raw_inputs, raw_weights : bool, whether products ignore the zero point of the inputs, or of the
        weights
    left_after : bool, whether a left shift follows the multiplication
    logical : width of the unsigned number as which a right shift takes a negative number
    middle_bits, middle_limit : width and Limit of the result of the first of two shifts
    bias_after : bool, whether the bias is scaled and rounded separately, then added
    padding : bool, whether padding elements are 0 where the library has the zero point
    counted : bool, whether a mean includes padding elements
    inputs : Rounding for scaled inputs in a tensor sum
    inputs_once : bool, whether the inputs have a single shift where the library has two
    apart : bool, whether each input in a tensor sum is scaled to the output and rounded separately,
        then added
    zero : Zero
    out : an element's Limit
    activation : bool, whether the activation limits apply
    """

    first:               Rounding | None = None
    last:                Rounding | None = None
    once:                bool | None = None
    multiplier_bits:     int | None = None
    multiplier_rounding: Rounding | None = None
    acc_bits:            int | None = None
    acc_limit:           Limit | None = None
    when:                When | None = None
    block:               int | None = None
    folded:              bool | None = None
    bias_bits:           int | None = None
    bias_limit:          Limit | None = None
    bias_after:          bool | None = None
    unsigned_inputs:     bool | None = None
    unsigned_weights:    bool | None = None
    raw_inputs:          bool | None = None
    raw_weights:         bool | None = None
    left_after:          bool | None = None
    logical:             int | None = None
    middle_bits:         int | None = None
    middle_limit:        Limit | None = None
    padding:             bool | None = None
    counted:             bool | None = None
    inputs:              Rounding | None = None
    inputs_once:         bool | None = None
    apart:               bool | None = None
    zero:                Zero | None = None
    out:                 Limit | None = None
    activation:          bool | None = None

    def __repr__(self) -> str:
        """The fields that differ from the library; ``Rule()`` without any."""
        return f"Rule({', '.join(f'{name}={value!r}' for name, value in self.given.items())})"

    def __post_init__(self) -> None:
        kinds = _kinds()
        for name, value in self.given.items():
            kind = kinds[name]
            if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
                raise TypeError(f"{name} must be a {kind.__name__} or None, not {value!r}")
            if kind is int and not 1 <= value <= 64:
                raise ValueError(f"{name} must be between 1 and 64, not {value}")

    def __or__(self, other: Rule) -> Rule:
        """Both differences combined; ``other``'s fields take precedence."""
        return Rule(**self.given | other.given)

    def __hash__(self) -> int:
        return hash(tuple(self.given.items()))

    @cached_property
    def given(self) -> dict[str, Any]:
        """Dict of fields that are not None; a reader must not change it."""
        return {name: value for name in _kinds() if (value := getattr(self, name)) is not None}

    def clauses(self, shifts: int = 1) -> list[str]:
        """One clause per difference, a list; ``shifts`` is the library's right shift count."""
        return [*_rounding(self, shifts), *_logical(self), *_inputs(self), *_multiplier(self),
                *_accumulator(self), *_bias(self), *_output(self)]

    def describe(self, shifts: int = 1) -> str:
        """All clauses in a single line, empty without differences."""
        return ", ".join(self.clauses(shifts))

    def __str__(self) -> str:
        return self.describe() or "does as the library"


@cache
def _kinds() -> dict[str, type]:
    """{Rule field: type of its values}, cached because a search makes thousands of Rules."""
    return {name: get_args(hint)[0] for name, hint in get_type_hints(Rule).items()}


LIBRARY = Rule()  #: No difference.


def _one(rounding, what):
    """Clause for a shift's rounding."""
    if rounding is Rounding.FLOOR:
        return f"cuts {what} without rounding"
    return f"rounds {what} {rounding.value}"


def _rounding(rule, shifts):
    if rule.once:
        last = rule.last.value if rule.last else "as the library"
        return [f"rounds once, {last}, after one shift"]
    clauses = []
    if rule.first:
        clauses.append(_one(rule.first, "the first shift"))
    if rule.last and shifts > 1:
        clauses.append(_one(rule.last, "the second shift"))
    elif rule.last:
        clauses.append("shifts right without rounding" if rule.last is Rounding.FLOOR
                       else f"rounds {rule.last.value}")
    return clauses


def _logical(rule):
    return [f"shifts numbers below 0 to the right as unsigned numbers of {rule.logical} bits"
            ] if rule.logical else []


def _inputs(rule):
    clauses = [f"takes {name} as unsigned" for name, is_so in (
        ("inputs", rule.unsigned_inputs), ("weights", rule.unsigned_weights)) if is_so]
    clauses += [f"ignores the zero point of the {name}" for name, is_so in (
        ("inputs", rule.raw_inputs), ("weights", rule.raw_weights)) if is_so]
    if rule.inputs_once:
        last = rule.inputs.value if rule.inputs else "as the library"
        clauses.append(f"rounds each input once, {last}, after one shift")
    elif rule.inputs:
        clauses.append(_one(rule.inputs, "each input"))
    if rule.apart:
        clauses.append("rounds each input to the output before it adds them")
    return clauses


def _multiplier(rule):
    clauses = ["shifts left after the multiplication"] if rule.left_after else []
    if rule.middle_bits:
        verb = (rule.middle_limit or Limit.SATURATE).value
        clauses.append(f"{verb.format('the result of the first shift')} at {rule.middle_bits} bits")
    if rule.multiplier_bits is None:
        return clauses
    verb = "cuts" if rule.multiplier_rounding in (None, Rounding.FLOOR) else "rounds"
    return [*clauses, f"{verb} the multiplier to {rule.multiplier_bits} bits"]


def _accumulator(rule):
    said = [rule.acc_limit.value.format("the sum") if rule.acc_limit else "limits the sum"]
    if rule.acc_bits:
        said.append(f"at {rule.acc_bits} bits")
    if rule.block:
        said.append("after every product" if rule.block == 1
                    else f"after every {rule.block} products")
    elif rule.when:
        said.append(rule.when.value)
    return [" ".join(said)] if len(said) > 1 or rule.acc_limit else []


def _bias(rule):
    clauses = []
    if rule.folded:
        clauses.append("takes the zero point of the input from the bias")
    if rule.bias_bits:
        verb = (rule.bias_limit or Limit.WRAP).value
        clauses.append(f"{verb.format('the bias')} at {rule.bias_bits} bits")
    if rule.bias_after:
        clauses.append("adds the bias after the rounding")
    if rule.padding:
        clauses.append("pads with 0 instead of the zero point")
    if rule.counted:
        clauses.append("counts padding in the mean")
    return clauses


def _output(rule):
    clauses = []
    if rule.zero:
        clauses.append(rule.zero.value)
    if rule.out is Limit.SYMMETRIC:
        clauses.append("clips to plus or minus the highest output")
    elif rule.out:
        clauses.append(rule.out.value.format("the output"))
    if rule.activation is False:
        clauses.append("ignores the limits of the activation")
    return clauses
