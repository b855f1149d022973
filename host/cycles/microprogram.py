"""Cycle model of a microprogram: the cycles of every part of a pass."""

from hdl.isa import Adjust, AguMode, Reduce, RoundMode, Scale, Shape, Table, Width

from .loops import Prediction, count_taps, execution_order

__all__ = ["COSTS", "predict_microprogram"]

#: Cycles, two for most instructions, as counted over passes of all kinds.
COSTS = {
    "first":    1492,  # start to the first output of the first pass
    "next":     1719,  # last result of a pass to the first output of the next
    "back":     43,    # going back in a loop, what that takes longer
    "end":      236,   # last result to the interrupt
    "a":        39,    # an outermost index
    "b":        31,
    "output":   122,
    "row":      14,    # a row of taps
    "run":      68,    # an innermost loop of taps that is done at once
    "step":     105,   # a step by itself, where addresses wrap or turn round
    "single":   59,    # an innermost loop of these
    "floor":    13,    # finding the last step of floored sums
    "mode":     12,    # an address that wraps or turns round
    "bias":     191,   # a record of every kind
    "scale":    316,
    "addend":   207,
    "signed":   44,    # addends of a pass that rounds twice
    "resume":   171,   # sums that are resumed
    "plain":    111,   # an element, by what is done with its sum
    "scaled":   132,
    "twice":    4,     # what it takes longer where it rounds twice
    "inverted": 75,
    "hold":     132,
    "left":     5.5,   # a place of a shift to the left
    "table":    42,    # an element that is looked up
    "narrow":   10,    # one that is limited to 8 bits
    "reduce":   22,    # one that is folded into a scalar
    "sum":      480,   # the inverse of a sum
    "adjust":   35,
}


def predict_microprogram(program):
    """Predict the cycles of a list of passes that a microprogram runs, as ``predict`` does.

    What depends on data, such as the shifts of scaled sums, is taken as it is on average.
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
    """Cycles of a pass by itself."""
    reduction = pass_.reduction
    return (COSTS["adjust"] * (reduction.adjust is not Adjust.NONE)
            + COSTS["sum"] * (reduction.reduce is Reduce.SUM)
            + COSTS["floor"] * bool(pass_.accumulate.floor))


def _loops(pass_):
    """Cycles of the loops of a pass, and its steps."""
    operands, epilogue = pass_.operands, pass_.epilogue
    a, b, c = pass_.loop.outer
    rows, columns = count_taps(pass_)
    runs    = a * int(rows.sum() * columns.sum())
    steps   = runs * pass_.loop.taps[2]
    modes   = sum(access.mode is not AguMode.LINEAR for access in (operands.x, operands.y))
    # Runs that are taken step by step.
    single  = runs if modes else a * b * c if pass_.accumulate.floor else 0
    lanes   = operands.x_shape is Shape.LANES
    stepped = COSTS["single"] + pass_.loop.taps[2] * (COSTS["step"] + modes * COSTS["mode"])
    cycles  = (a * COSTS["a"] + _records(pass_) + a * b * COSTS["b"] + a * b * c * COSTS["output"]
               + a * c * int(rows.sum()) * COSTS["row"] + (runs - single) * COSTS["run"]
               + single * stepped + steps * (2 * epilogue.beats if lanes else 1 + epilogue.beats))
    return cycles, steps


def _records(pass_):
    """Cycles of what the sums of every outermost index begin with, and of parameters."""
    accumulate, epilogue = pass_.accumulate, pass_.epilogue
    twice = epilogue.rounding is RoundMode.TWICE
    first = (COSTS["scale"] * (epilogue.scale is not Scale.NONE) + COSTS["addend"] * epilogue.addend
             + COSTS["signed"] * twice)
    each  = COSTS["bias"] * (accumulate.bias_row is not None) + COSTS["resume"] * accumulate.resume
    return pass_.loop.outer[0] * each + first * (1 if epilogue.once else pass_.loop.outer[0])


def _elements(pass_):
    """Cycles of all elements of a pass once their sums are there."""
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
    """Cycles of a shift to the right, besides its instruction: one a byte and one a bit left."""
    return places // 8 + places % 8
