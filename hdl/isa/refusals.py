# SPDX-License-Identifier: Apache-2.0
"""Refuse passes with incompatible fields."""

from .codes import OPERATIONS, Adjust, AguMode, Op, Reduce, RoundMode, Scale, Shape, Table, Width
from .sizes import BANKS, ELEMENT_BITS, HELD, SLIDE_ROWS

__all__ = ["check_held", "check_reduced", "check_reordered", "check_scaled", "check_shared",
           "check_slid"]

#: Largest zero point whose sum with, or difference from, any 8-bit element fits 16 bits.
_X_ZERO_MAX = (1 << 15) - (1 << 7)
_NOT_HELD   = frozenset(op for op in Op if op in OPERATIONS and not OPERATIONS[op].holds)


def check_reduced(pass_):
    """Raise ValueError if a pass uses the range it computes, or ranks saved accumulators.

    A ``POP`` pass with a single output may use the range: it pops after the output.
    """
    operands, accumulate  = pass_.operands, pass_.accumulate
    epilogue, reduction   = pass_.epilogue, pass_.reduction
    ranks   = reduction.reduce in (Reduce.RANK, Reduce.POP)
    outputs = pass_.loop.outer[0] * pass_.loop.outer[1] * pass_.loop.outer[2]
    uses    = reduction.anchored or reduction.adjust in (Adjust.SHIFT, Adjust.TABLE)
    makes   = reduction.reduce in (Reduce.MAX, Reduce.MIN, Reduce.RANK, Reduce.RANGE) or (
        reduction.reduce is Reduce.POP and outputs > 1)
    if makes and uses:
        raise ValueError(f"A pass cannot use the range that it makes: reduce "
                         f"{reduction.reduce.name}, anchored {reduction.anchored}, adjust "
                         f"{reduction.adjust.name}")
    if ranks and (accumulate.hold or accumulate.resume or epilogue.scale is not Scale.NONE):
        raise ValueError(f"A pass with reduce {reduction.reduce.name} must not hold, resume or "
                         f"scale sums: hold {accumulate.hold}, resume {accumulate.resume}, scale "
                         f"{epilogue.scale.name}")
    ranged = (operands.x_shape, epilogue.beats) == (Shape.LANES, BANKS)
    if reduction.reduce is Reduce.RANGE and not ranged:
        raise ValueError(f"A pass with reduce RANGE must have X by LANES and {BANKS} beats, not by "
                         f"{operands.x_shape.name} and {epilogue.beats}")


def check_shared(pass_):
    """Raise ValueError for fields excluded by ``Op.SHARE``."""
    accumulate, epilogue, reduction = pass_.accumulate, pass_.epilogue, pass_.reduction
    uses = {"resume": accumulate.resume, "anchored": reduction.anchored,
            "inverted": reduction.inverted,
            f"scale {epilogue.scale.name}": epilogue.scale is not Scale.NONE,
            f"adjust {reduction.adjust.name}": reduction.adjust is not Adjust.PLACES,
            "floor": accumulate.floor != 0}
    if accumulate.op is Op.SHARE and any(uses.values()):
        raise ValueError(f"A pass that shares must have adjust PLACES and no resume, anchored, "
                         f"inverted, scale or floor, not "
                         f"{', '.join(use for use in uses if uses[use])}")


def check_slid(pass_):
    """Raise ValueError for fields excluded by ``Op.SLIDE``."""
    operands, accumulate = pass_.operands, pass_.accumulate
    if accumulate.op is not Op.SLIDE:
        return
    rows, columns, innermost = pass_.loop.taps
    uses = {
        "X by vector": operands.x_shape is Shape.VECTOR,
        "Y by lanes": operands.y_shape is Shape.LANES,
        "a mode of X or Y": (operands.x.mode, operands.y.mode) != (AguMode.LINEAR, AguMode.LINEAR),
        "a border on the left": pass_.loop.cols.pad != 0,
        "a reduction of X": pass_.reduction.reduce is Reduce.RANGE,
        f"{rows} rows of taps": rows > SLIDE_ROWS,
        f"{columns} columns": not 1 <= columns <= min(BANKS, pass_.loop.cols.size),
        f"{innermost} innermost taps": innermost != 1}
    if any(uses.values()):
        raise ValueError(f"A pass that slides must not have "
                         f"{', '.join(use for use in uses if uses[use])}")


def check_held(pass_):
    """Raise ValueError for fields excluded by saving or restoring accumulators."""
    loop, accumulate    = pass_.loop, pass_.accumulate
    epilogue, reduction = pass_.epilogue, pass_.reduction
    scalars = reduction.anchored or reduction.inverted or reduction.adjust is not Adjust.NONE
    reduces = reduction.reduce is not Reduce.NONE
    if accumulate.hold and (epilogue.table is not Table.NONE or reduces or scalars):
        raise ValueError(f"A pass that holds its sums cannot use a table, a reduction or scalars: "
                         f"table {epilogue.table.name}, reduce {reduction.reduce.name}, adjust "
                         f"{reduction.adjust.name}, anchored {reduction.anchored}, inverted "
                         f"{reduction.inverted}")
    if accumulate.hold and accumulate.op in _NOT_HELD:
        raise ValueError(f"A pass that holds its sums must not be a {accumulate.op.name}")
    sums = accumulate.op in (Op.MAC, Op.CROSS)
    if accumulate.resume and (accumulate.bias_row is not None or not sums):
        raise ValueError(f"A pass that resumes sums must be a MAC or a CROSS without a bias, not "
                         f"{accumulate.op.name} with bias_row {accumulate.bias_row}")
    if (accumulate.hold or accumulate.resume) and accumulate.entry + loop.outer[0] > HELD:
        raise ValueError(f"A pass has {HELD} entries to hold or resume sums, not {loop.outer[0]} "
                         f"from entry {accumulate.entry} on")
    if accumulate.hold and accumulate.resume and loop.outer[1] * loop.outer[2] > 1:
        raise ValueError(f"A pass that resumes and holds its sums must have 1 output for an entry, "
                         f"not {loop.outer[1] * loop.outer[2]}")


def check_reordered(pass_):
    """Raise ValueError for fields excluded by ``GATHER``, ``SPREAD`` and ``CROSS``."""
    operands, accumulate, epilogue = pass_.operands, pass_.accumulate, pass_.epilogue
    if accumulate.op is Op.SPREAD and pass_.loop.outer[0] != 1:
        raise ValueError(f"A pass that spreads its beats must have 1 outermost index, not "
                         f"{pass_.loop.outer[0]}")
    if accumulate.op is Op.CROSS and operands.x_shape is not Shape.VECTOR:
        raise ValueError(f"A pass that crosses groups of X must have X by VECTOR, not by "
                         f"{operands.x_shape.name}")
    if accumulate.op is not Op.GATHER:
        return
    uses = {
        "X by lanes": operands.x_shape is Shape.LANES,
        "Y by lanes": operands.y_shape is Shape.LANES,
        "steps of Y": any((*operands.y.outer, *operands.y.taps)),
        "steps of Z": any(epilogue.z.outer),
        "a base of Y that is not its lowest address": operands.y.base != operands.y.low,
        "a mode of Y or Z": (operands.y.mode, epilogue.z.mode) != (AguMode.LINEAR, AguMode.LINEAR),
        "a border": any(axis.pad or axis.step for axis in (pass_.loop.rows, pass_.loop.cols))
        or pass_.loop.taps[0] > pass_.loop.rows.size or pass_.loop.taps[1] > pass_.loop.cols.size,
        "a bias": accumulate.bias_row is not None,
        f"{epilogue.beats} beats": epilogue.beats != BANKS}
    if any(uses.values()):
        raise ValueError(f"A pass that gathers must not have "
                         f"{', '.join(use for use in uses if uses[use])}")


def check_scaled(pass_):
    """Raise ValueError for fields excluded by a ``Scale`` or a zero point."""
    accumulate, reduction = pass_.accumulate, pass_.reduction
    uses = {"hold": accumulate.hold, "resume": accumulate.resume, "anchored": reduction.anchored,
            "adjust": reduction.adjust is not Adjust.NONE, "inverted": reduction.inverted,
            "shift": pass_.epilogue.shift != 0, "no bias": accumulate.bias_row is None}
    if pass_.epilogue.scale is not Scale.NONE and any(uses.values()):
        raise ValueError(f"A scaled pass must have a bias and no hold, resume, anchored, adjust, "
                         f"inverted or shift, not {', '.join(use for use in uses if uses[use])}")
    if accumulate.floor and accumulate.op is not Op.MAC:
        raise ValueError(f"A pass that floors its sums must be a MAC, not {accumulate.op.name}")
    _check_records(pass_)
    if pass_.epilogue.clip[0] > pass_.epilogue.clip[1]:
        raise ValueError(f"The lower limit of the output must not exceed the upper, not "
                         f"{pass_.epilogue.clip[0]} and {pass_.epilogue.clip[1]}")
    bits = 16 if pass_.epilogue.table is Table.NONE else ELEMENT_BITS
    for limit in pass_.epilogue.clip:
        if not -(1 << bits - 1) <= limit + pass_.epilogue.zero < 1 << bits - 1:
            raise ValueError(f"A limit of the output and its zero point must add up to {bits} "
                             f"bits, not {limit} and {pass_.epilogue.zero}")
    if pass_.operands.x_zero and pass_.operands.x_width is not Width.BITS8:
        raise ValueError(f"A zero point of X must be of 8-bit elements, not of "
                         f"{pass_.operands.x_width.name}")
    if abs(pass_.operands.x_zero) > _X_ZERO_MAX:
        raise ValueError(f"x_zero must be between {-_X_ZERO_MAX} and {_X_ZERO_MAX}, not "
                         f"{pass_.operands.x_zero}")


def _check_records(pass_):
    """Raise ValueError if a field needs per-channel parameters and the pass has none."""
    if pass_.epilogue.addend and pass_.epilogue.scale is Scale.NONE:
        raise ValueError("A pass with an addend must be scaled, not of scale NONE")
    if pass_.epilogue.once and pass_.epilogue.scale is Scale.NONE:
        raise ValueError("A pass with parameters once must be scaled, not of scale NONE")
    if pass_.epilogue.rounding is RoundMode.TWICE and pass_.epilogue.scale is Scale.NONE:
        raise ValueError("A pass that rounds twice must be scaled, not of scale NONE")
    if pass_.epilogue.table_rounding is RoundMode.TWICE:
        raise ValueError("What is looked up must not be rounded twice")
