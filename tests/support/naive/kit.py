# SPDX-License-Identifier: Apache-2.0
"""One output under a rule, in Python's ints and fractions: nothing of it is taken from the kit but
the names of the choices."""

from fractions import Fraction
from math import ceil, floor

from xymac.host.kit.rounding import Limit, Rounding
from xymac.host.kit.rule import When, Zero

__all__ = ["limited", "output", "rounded"]


def rounded(x, shift, rounding, bits=0):
    """``x / 2**shift`` as an int."""
    if shift <= 0:
        return x << -shift
    if bits and shift >= bits:
        return 0
    if bits and rounding is Rounding.UP:
        return min(x + 2 ** (shift - 1), 2 ** (bits - 1) - 1) >> shift
    return _divided(x, 2 ** shift, rounding)


def _divided(x, divisor, rounding):
    if rounding is Rounding.NUDGED:
        below = x // divisor
        rest  = Fraction(x - below * divisor, divisor)
        if x >= 0:
            return below + (rest >= Fraction(1, 2))
        whole = divisor if divisor % 2 else divisor // 2
        scale = 2 if divisor % 2 else 1
        return below - (rest * divisor * scale < whole - 1)
    return _nearest(Fraction(x, divisor), rounding)


def _nearest(exact, rounding):
    below = floor(exact)
    if rounding is Rounding.FLOOR:
        return below
    if rounding is Rounding.ZERO:
        return int(exact)
    if exact - below != Fraction(1, 2):
        return floor(exact + Fraction(1, 2))
    return {Rounding.UP: below + 1, Rounding.DOWN: below, Rounding.CONVERGENT: round(exact),
            Rounding.AWAY: ceil(exact) if exact > 0 else below}[rounding]


def limited(x, bits, kind):
    """``x`` at a width of ``bits``."""
    top = 2 ** (bits - 1)
    if bits >= 63:
        return x
    if kind is Limit.WRAP:
        return (x + top) % (2 * top) - top
    return max(-top + (kind is Limit.SYMMETRIC), min(top - 1, x))


def _term(n, raw, scale, places, rest):
    """An input of a sum of tensors in its scale."""
    value = raw * _short(n, scale)
    if n.inputs_once:
        rest += places
    elif n.terms == 2:
        value = rounded(value, places, Rounding.UP)
    return limited(rounded(value, rest, n.inputs, n.terms_bits), 32, Limit.SATURATE)


def _prepared(n, o):
    """The column ``o`` with inputs that are scaled and windows that are counted."""
    if n.terms:
        terms = zip(o["raw"], o["scale"], o["places"], o["rest"], strict=True)
        o     = o | {"elements": [_term(n, *term) for term in terms]}
    if n.counted:
        bias = o["bias"] + (0 if n.padding else o["outside"])
        o    = o | {"bias": bias} | {name: o[f"whole_{name}"] for name in (
            "divisor", "multiplier", "addend", "shift")}
    return o


def _unsigned(n, o):
    """The column ``o`` with stored numbers as they are without a sign, or without a zero point."""
    change = {}
    if n.unsigned_inputs:
        change["elements"] = [(element + o["input_zero"]) + 2 ** n.input_bits - o["input_zero"]
                              if element + o["input_zero"] < 0 else element
                              for element in o["elements"]]
    if n.unsigned_weights:
        change["weights"] = [weight + 2 ** n.weight_bits if weight < 0 else weight
                             for weight in o["weights"]]
    o = o | change
    if n.raw_inputs:
        o = o | {"elements": [element + o["input_zero"] + n.base for element in o["elements"]]}
    if n.raw_weights:
        o = o | {"weights": [weight + n.base for weight in o["weights"]]}
    return o


def _total(n, o):
    """The sum of the column ``o``, and its bias."""
    o     = _unsigned(n, o)
    zero  = o["input_zero"] if n.folded else 0
    bias  = o["bias"] - sum(zero * weight for weight in o["weights"])
    bias  = limited(bias, n.bias_bits, n.bias_limit)
    terms = [(element + zero) * weight
             for element, weight in zip(o["elements"], o["weights"], strict=True)]
    terms += [o["padding"]] * n.padding
    acc   = 0 if n.bias_after else bias
    if n.when is When.STEP:
        for place in range(0, len(terms), n.block):
            acc = limited(acc + sum(terms[place:place + n.block]), n.acc_bits, n.acc_limit)
        return acc, bias
    total = sum(terms)
    if n.when is When.BEFORE:
        return limited(total, n.acc_bits, n.acc_limit) + acc, bias
    if n.when is When.BIAS:
        total = limited(total, n.acc_bits, Limit.WRAP)
    return limited(total + acc, n.acc_bits, n.acc_limit), bias


def _short(n, factor):
    drop = n.multiplier_bits - n.kept_bits
    if factor == 1 or drop <= 0:
        return factor
    return limited(rounded(factor, drop, n.multiplier_rounding), n.kept_bits,
                   Limit.SATURATE) << drop


def _shifted(n, value, shift):
    """The last shift; numbers below 0 become unsigned numbers of ``logical`` bits before it."""
    result = rounded(value, shift, n.last, n.last_bits)
    adds   = n.last in (Rounding.UP, Rounding.FLOOR)  # a constant, before the sign is lost
    if not n.logical or shift <= 0 or (result if adds else value) >= 0:
        return result
    return result + 2 ** max(n.logical, shift) // 2 ** shift


def _scaled(n, o, acc, addend, zero):
    left  = 0 if n.left_after else o["left"]
    value = limited(acc << left, max(n.work_bits, n.acc_bits), Limit.WRAP)
    value *= _short(n, o["factor"])
    early, shift = o["early"], o["shift"]
    if n.once:
        addend, early, shift = addend << early, 0, shift + early
    elif n.shifts == 2:
        value = limited(rounded(value, early, n.first), n.middle_bits,
                        n.middle_limit)
    value = limited(value * _short(n, o["multiplier"]) + addend, n.product_bits, Limit.WRAP)
    if o["divisor"] > 1:
        value = _divided(value, o["divisor"], n.last)
    again = o["left"] if n.left_after else 0
    if zero and shift > 0:
        value = _shifted(n, value + (zero << shift), shift) << again
    else:
        value = (_shifted(n, value, shift) << again) + zero
    return rounded(limited(value, n.scaled_bits, n.scaled_limit), n.final_shift, n.last)


def output(n, o):
    """The output of a column ``o``, a dict, under a Narrowing ``n``."""
    early = n.zero is Zero.UNROUNDED
    o     = _prepared(n, o)
    total, bias = _total(n, o)
    o     = _unsigned(n, o)
    zero  = o["zero"] if early else 0
    value = _scaled(n, o, total, o["addend"], zero)
    if n.apart:
        first, second = (element * weight for element, weight
                         in zip(o["elements"], o["weights"], strict=True))
        value = _scaled(n, o, first, o["addend"], zero) + _scaled(n, o, second, 0, 0)
    if n.bias_after:
        value += _scaled(n, o, bias, 0, 0)
    if n.zero in (Zero.CLIPPED, Zero.WRAPPED):
        value = limited(value, n.out_bits, Limit.SATURATE)
    value = limited(value + (0 if early else o["zero"]), n.offset_bits, n.offset_limit)
    if n.zero is Zero.WRAPPED:
        value = limited(value, n.out_bits, Limit.WRAP)
    value = limited(value, n.out_bits, n.out)
    if n.activation:
        value = max(min(value, o["high"]), o["low"])
    return value
