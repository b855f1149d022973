"""What a pass must not ask for together, before it is encoded."""

from .codes import Adjust, AguMode, Op, Reduce, RoundMode, Scale, Shape, Table, Width
from .sizes import BANKS, ELEMENT_BITS, HELD, SLIDE_ROWS

__all__ = ["check_held", "check_reduced", "check_reordered", "check_scaled", "check_shared",
           "check_slid"]

#: An 8-bit element less this, or plus this, is the farthest that 16 bits can hold.
_X_ZERO_MAX = (1 << 15) - (1 << 7)


def check_reduced(pass_):
    """Raise ValueError for a pass that uses the range that it makes, or ranks sums it holds.

    What pops may use the range if it writes once: it pops behind that.
    """
    ranks   = pass_.reduce in (Reduce.RANK, Reduce.POP)
    outputs = pass_.outer[0] * pass_.outer[1] * pass_.outer[2]
    uses    = pass_.anchored or pass_.adjust in (Adjust.SHIFT, Adjust.TABLE)
    makes   = pass_.reduce in (Reduce.MAX, Reduce.MIN, Reduce.RANK, Reduce.RANGE) or (
        pass_.reduce is Reduce.POP and outputs > 1)
    if makes and uses:
        raise ValueError(f"A pass cannot use the range that it makes: reduce {pass_.reduce.name}, "
                         f"anchored {pass_.anchored}, adjust {pass_.adjust.name}")
    if ranks and (pass_.hold or pass_.resume or pass_.scale is not Scale.NONE):
        raise ValueError(f"A pass with reduce {pass_.reduce.name} must not hold, resume or scale "
                         f"sums: hold {pass_.hold}, resume {pass_.resume}, scale "
                         f"{pass_.scale.name}")
    if pass_.reduce is Reduce.RANGE and (pass_.x_shape, pass_.beats) != (Shape.LANES, BANKS):
        raise ValueError(f"A pass with reduce RANGE must have X by LANES and {BANKS} beats, not by "
                         f"{pass_.x_shape.name} and {pass_.beats}")


def check_shared(pass_):
    """Raise ValueError for a share with what does not go with it."""
    uses = {"hold": pass_.hold, "resume": pass_.resume, "anchored": pass_.anchored,
            "inverted": pass_.inverted, f"scale {pass_.scale.name}": pass_.scale is not Scale.NONE,
            f"adjust {pass_.adjust.name}": pass_.adjust is not Adjust.PLACES,
            "floor": pass_.floor != 0}
    if pass_.op is Op.SHARE and any(uses.values()):
        raise ValueError(f"A pass that shares must have adjust PLACES and no hold, resume, "
                         f"anchored, inverted, scale or floor, not "
                         f"{', '.join(use for use in uses if uses[use])}")


def check_slid(pass_):
    """Raise ValueError for a slide with what does not go with it."""
    if pass_.op is not Op.SLIDE:
        return
    rows, columns, innermost = pass_.taps
    uses = {
        "X by vector": pass_.x_shape is Shape.VECTOR, "Y by lanes": pass_.y_shape is Shape.LANES,
        "a mode of X or Y": (pass_.x.mode, pass_.y.mode) != (AguMode.LINEAR, AguMode.LINEAR),
        "a border on the left": pass_.cols.pad != 0,
        "a reduction of X": pass_.reduce is Reduce.RANGE, "sums that it holds": pass_.hold,
        f"{rows} rows of taps": rows > SLIDE_ROWS,
        f"{columns} columns": not 1 <= columns <= min(BANKS, pass_.cols.size),
        f"{innermost} innermost taps": innermost != 1}
    if any(uses.values()):
        raise ValueError(f"A pass that slides must not have "
                         f"{', '.join(use for use in uses if uses[use])}")


def check_held(pass_):
    """Raise ValueError for a pass that holds or resumes sums and does what does not go with it."""
    scalars = pass_.anchored or pass_.inverted or pass_.adjust is not Adjust.NONE
    if pass_.hold and (pass_.table is not Table.NONE or pass_.reduce is not Reduce.NONE or scalars):
        raise ValueError(f"A pass that holds its sums cannot use a table, a reduction or scalars: "
                         f"table {pass_.table.name}, reduce {pass_.reduce.name}, adjust "
                         f"{pass_.adjust.name}, anchored {pass_.anchored}, inverted "
                         f"{pass_.inverted}")
    if pass_.resume and (pass_.bias_row is not None or pass_.op not in (Op.MAC, Op.CROSS)):
        raise ValueError(f"A pass that resumes sums must be a MAC or a CROSS without a bias, not "
                         f"{pass_.op.name} with bias_row {pass_.bias_row}")
    if (pass_.hold or pass_.resume) and pass_.entry + pass_.outer[0] > HELD:
        raise ValueError(f"A pass has {HELD} entries to hold or resume sums, not {pass_.outer[0]} "
                         f"from entry {pass_.entry} on")
    if pass_.hold and pass_.resume and pass_.outer[1] * pass_.outer[2] > 1:
        raise ValueError(f"A pass that resumes and holds its sums must have 1 output for an entry, "
                         f"not {pass_.outer[1] * pass_.outer[2]}")


def check_reordered(pass_):
    """Raise ValueError for a gather, spread or cross that does what does not go with it."""
    if pass_.op is Op.SPREAD and pass_.outer[0] != 1:
        raise ValueError(f"A pass that spreads its beats must have 1 outermost index, not "
                         f"{pass_.outer[0]}")
    if pass_.op is Op.CROSS and pass_.x_shape is not Shape.VECTOR:
        raise ValueError(f"A pass that crosses groups of X must have X by VECTOR, not by "
                         f"{pass_.x_shape.name}")
    if pass_.op in (Op.GATHER, Op.SPREAD) and pass_.hold:
        raise ValueError(f"A pass that holds its sums must not be a {pass_.op.name}")
    if pass_.op is not Op.GATHER:
        return
    uses = {
        "X by lanes": pass_.x_shape is Shape.LANES, "Y by lanes": pass_.y_shape is Shape.LANES,
        "steps of Y": any((*pass_.y.outer, *pass_.y.taps)), "steps of Z": any(pass_.z.outer),
        "a base of Y that is not its lowest address": pass_.y.base != pass_.y.low,
        "a mode of Y or Z": (pass_.y.mode, pass_.z.mode) != (AguMode.LINEAR, AguMode.LINEAR),
        "a border": any(axis.pad or axis.step for axis in (pass_.rows, pass_.cols))
        or pass_.taps[0] > pass_.rows.size or pass_.taps[1] > pass_.cols.size,
        "a bias": pass_.bias_row is not None, f"{pass_.beats} beats": pass_.beats != BANKS}
    if any(uses.values()):
        raise ValueError(f"A pass that gathers must not have "
                         f"{', '.join(use for use in uses if uses[use])}")


def check_scaled(pass_):
    """Raise ValueError for a scale or a zero point with what does not go with it."""
    uses = {"hold": pass_.hold, "resume": pass_.resume, "anchored": pass_.anchored,
            "adjust": pass_.adjust is not Adjust.NONE, "inverted": pass_.inverted,
            "shift": pass_.shift != 0, "no bias": pass_.bias_row is None}
    if pass_.scale is not Scale.NONE and any(uses.values()):
        raise ValueError(f"A scaled pass must have a bias and no hold, resume, anchored, adjust, "
                         f"inverted or shift, not {', '.join(use for use in uses if uses[use])}")
    if pass_.floor and pass_.op is not Op.MAC:
        raise ValueError(f"A pass that floors its sums must be a MAC, not {pass_.op.name}")
    _check_records(pass_)
    bits = 16 if pass_.table is Table.NONE else ELEMENT_BITS
    for limit in pass_.clip:
        if not -(1 << bits - 1) <= limit + pass_.zero < 1 << bits - 1:
            raise ValueError(f"A limit of the output and its zero point must add up to {bits} "
                             f"bits, not {limit} and {pass_.zero}")
    if pass_.x_zero and pass_.x_width is not Width.BITS8:
        raise ValueError(f"A zero point of X must be of 8-bit elements, not of "
                         f"{pass_.x_width.name}")
    if abs(pass_.x_zero) > _X_ZERO_MAX:
        raise ValueError(f"x_zero must be between {-_X_ZERO_MAX} and {_X_ZERO_MAX}, not "
                         f"{pass_.x_zero}")


def _check_records(pass_):
    """Raise ValueError for what needs parameters that a pass has not."""
    if pass_.addend and pass_.scale is Scale.NONE:
        raise ValueError("A pass with an addend must be scaled, not of scale NONE")
    if pass_.once and pass_.scale is Scale.NONE:
        raise ValueError("A pass with parameters once must be scaled, not of scale NONE")
    if pass_.rounding is RoundMode.TWICE and pass_.scale is Scale.NONE:
        raise ValueError("A pass that rounds twice must be scaled, not of scale NONE")
    if pass_.table_rounding is RoundMode.TWICE:
        raise ValueError("What is looked up must not be rounded twice")
