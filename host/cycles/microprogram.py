# SPDX-License-Identifier: Apache-2.0
"""Cycle model for a microprogrammed core, by pass phases."""

from xymac.hdl.isa import Adjust, AguMode, Reduce, RoundMode, Scale, Shape, Table, Width

from .loops import Prediction, count_taps, execution_order

__all__ = ["COSTS", "predict_microprogram"]

#: Cycles, two for most instructions, measured on passes of all kinds.
COSTS = {
    "first":    1492,  # start to the first output of the first pass
    "next":     1719,  # last result of a pass to the next pass's first output
    "back":     43,    # additional cycles of a loop repetition
    "end":      236,   # last result to the interrupt
    "a":        39,    # an outermost index
    "b":        31,
    "output":   122,
    "row":      14,    # per row of taps
    "run":      68,    # per innermost loop that runs as a block
    "step":     105,   # a step by itself, where addresses wrap or turn round
    "single":   59,    # per innermost loop of single steps
    "floor":    13,    # last step detection for floored sums
    "mode":     12,    # per modulo or bit-reversed address
    "bias":     191,   # per parameter set of any kind
    "scale":    316,
    "addend":   207,
    "signed":   44,    # addends of a pass with double rounding
    "resume":   171,   # restored accumulators
    "plain":    111,   # per element, by kind of sum
    "scaled":   132,
    "twice":    4,     # additional cycles of double rounding
    "inverted": 75,
    "hold":     132,
    "left":     5.5,   # per bit of a left shift
    "table":    42,    # per table lookup
    "narrow":   10,    # per element limited to 8 bits
    "reduce":   22,    # per element folded into a scalar
    "sum":      480,   # inverse of a sum
    "adjust":   35,
}


def predict_microprogram(program):
    """Predict the cycles of a pass list on a microprogrammed core, as ``predict`` does.

    Data-dependent costs, such as scaled sum shifts, use averages.
    """
    done, ends, issued = 0, {}, 0
    for index in execution_order(program):
        pass_ = program[index]
        done += COSTS["next" if ends else "first"]
        done += COSTS["back"] * (index in ends)
        cycles, steps = _loops(pass_)
        done   += cycles + _elements(pass_) + _pass(pass_)
        issued += steps
        ends[index] = done
    return Prediction(round(done + COSTS["end"]), issued,
                      tuple(round(ends[index]) for index in range(len(program))))


def _pass(pass_):
    """A pass's fixed cycles."""
    reduction = pass_.reduction
    return (COSTS["adjust"] * (reduction.adjust is not Adjust.NONE)
            + COSTS["sum"] * (reduction.reduce is Reduce.SUM)
            + COSTS["floor"] * bool(pass_.accumulate.floor))


def _loops(pass_):
    """Cycles in a pass's loops, and its step count."""
    operands, epilogue = pass_.operands, pass_.epilogue
    a, b, c = pass_.loop.outer
    rows, columns = count_taps(pass_)
    runs    = a * int(rows.sum() * columns.sum())
    steps   = runs * pass_.loop.taps[2]
    modes   = sum(access.mode is not AguMode.LINEAR for access in (operands.x, operands.y))
    # Innermost loops that run step by step.
    single  = runs if modes else a * b * c if pass_.accumulate.floor else 0
    lanes   = operands.x_shape is Shape.LANES
    stepped = COSTS["single"] + pass_.loop.taps[2] * (COSTS["step"] + modes * COSTS["mode"])
    cycles  = (a * COSTS["a"] + _records(pass_) + a * b * COSTS["b"] + a * b * c * COSTS["output"]
               + a * c * int(rows.sum()) * COSTS["row"] + (runs - single) * COSTS["run"]
               + single * stepped + steps * (2 * epilogue.beats if lanes else 1 + epilogue.beats))
    return cycles, steps


def _records(pass_):
    """Cycles to load initial accumulators and parameters, over all outermost indices."""
    accumulate, epilogue = pass_.accumulate, pass_.epilogue
    twice = epilogue.rounding is RoundMode.TWICE
    first = (COSTS["scale"] * (epilogue.scale is not Scale.NONE) + COSTS["addend"] * epilogue.addend
             + COSTS["signed"] * twice)
    each  = COSTS["bias"] * (accumulate.bias_row is not None) + COSTS["resume"] * accumulate.resume
    return pass_.loop.outer[0] * each + first * (1 if epilogue.once else pass_.loop.outer[0])


def _elements(pass_):
    """Cycles to process all output elements of a pass."""
    epilogue = pass_.epilogue
    kind = ("hold" if pass_.accumulate.hold else "inverted" if pass_.reduction.inverted else
            "plain" if epilogue.scale is Scale.NONE else "scaled")
    cost   = COSTS[kind] + COSTS["mode"] * (epilogue.z.mode is not AguMode.LINEAR)
    cost  += COSTS["twice"] * (epilogue.rounding is RoundMode.TWICE)
    narrow = epilogue.z_width is Width.BITS8
    if kind in ("hold", "plain"):
        cost += _shift(epilogue.shift) if epilogue.shift > 0 else -epilogue.shift * COSTS["left"]
    if epilogue.table is not Table.NONE:
        cost += COSTS["table"] + 2 * _shift(epilogue.table_shift) + narrow * COSTS["narrow"]
    if pass_.reduction.reduce is not Reduce.NONE:
        cost += COSTS["reduce"] + narrow * COSTS["narrow"]
    a, b, c = pass_.loop.outer
    return a * b * c * epilogue.beats * cost


def _shift(places):
    """Cycles for a right shift besides its instruction: a cycle per whole byte and per remaining
    bit.
    """
    return places // 8 + places % 8
