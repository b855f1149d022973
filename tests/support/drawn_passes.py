# SPDX-License-Identifier: Apache-2.0
"""Random passes and programs that hypothesis draws, of every mode and operation; some fault."""

import math
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tests.support.random_passes import PLAIN, align_window, slide_of
from tests.support.rtl_device import sizes_of
from xymac.golden.machine.address import offsets, valid_taps
from xymac.hdl.isa import (
    ELEMENT_BITS,
    HELD,
    OWN_TABLES,
    ROUNDINGS,
    SHIFT_MAX,
    SHIFT_MIN,
    Access,
    AccumulatorRange,
    Adjust,
    AguMode,
    Axis,
    Memory,
    Move,
    Op,
    Pass,
    Reduce,
    RoundMode,
    Scale,
    Shape,
    Table,
    Width,
    bias_rows,
    record_rows,
)
from xymac.host.plan.program.waits import set_waits

__all__ = ["programs"]

MODES = [AguMode.LINEAR] * 3 + [AguMode.MODULO, AguMode.BIT_REVERSED]
MOVES = [Move.NONE] * 3 + [Move.FIRST, Move.SECOND]
STEP, TURNS = 3, 3  # limits of what a loop advances by, and of how often it repeats
BITS  = {Width.BITS8: 8, Width.BITS16: 16}

#: Mostly those that leave results between the limits of 8 and 16 bits.
SHIFTS = [SHIFT_MIN, -3, 0, 1, 1, 2, 7, 8, 9, 9, 10, 14, 22, 24, 39, SHIFT_MAX]

counts  = st.sampled_from([1, 1, 2, 3, 5])
strides = st.sampled_from([-3, -1, 0, 0, 1, 1, 2, 4, 9])
rarely  = st.sampled_from([False] * 11 + [True])


@st.composite
def axes(draw, outputs, taps):
    """Border clipping along one axis; rarely one that leaves a window without taps."""
    if draw(st.booleans()):
        return Axis()
    pad, step = draw(st.integers(0, taps - 1)), draw(st.integers(0, 3))
    if draw(rarely):
        return Axis(pad + draw(st.integers(0, 2)), step, draw(st.integers(0, 4)))
    least = max(1, (outputs - 1) * step - pad + 1)
    return Axis(pad, step, least + draw(st.integers(0, taps)))


def relatives(draft, outer, taps):
    """Relative addresses of every output [outputs] and of its taps [outputs, taps], and which of
    them the border leaves."""
    a, b, c = (index.ravel() for index in np.indices(draft.loop.outer))
    return (offsets(outer, (a, b, c)), offsets(taps, np.indices(draft.loop.taps).reshape(3, -1)),
            valid_taps(draft, b, c))


@st.composite
def accesses(draw, draft, units, *, taps=True, span=1, beats=1):
    """An access whose window in ``units`` (first, end) just fits, or rarely is too short."""
    mode   = draw(st.sampled_from(MODES if span == 1 else MODES[:4]))
    outer  = tuple(draw(st.tuples(strides, strides, strides)))
    inner  = tuple(draw(st.tuples(strides, strides, strides))) if taps else (0, 0, 0)
    starts, steps, valid = relatives(draft, outer, inner)
    if not taps:
        steps  = np.arange(beats) * (outer[0] if draft.accumulate.op is Op.SPREAD else 1)
        valid  = np.ones((len(starts), beats), bool)
    reached = (starts[:, None] + steps)[valid]
    low_at, high_at = (reached.min(), reached.max()) if reached.size else (0, 0)
    cut, slack = draw(rarely), draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
    length = int(high_at - low_at) + span + sum(slack)
    base   = slack[0] - int(low_at)
    if cut:
        length = max(1, length - sum(slack) - draw(st.integers(1, 4)))
    if mode is AguMode.MODULO:
        longest = max(np.abs(steps).max() + span - 1, *map(abs, outer), 1)
        length  = int(longest) + draw(st.integers(-cut, 9))
        length  = max(length, *map(abs, outer), 1)
        base    = draw(st.integers(0, length - 1))
    elif mode is AguMode.BIT_REVERSED:
        length = 1 << (length - 1).bit_length() - (cut and length > 1)
    move = Move.NONE if mode is AguMode.MODULO else draw(st.sampled_from(MOVES))
    if move is not Move.NONE and mode is AguMode.LINEAR:
        length += 2 * STEP * TURNS
        base   += STEP * TURNS
    first, end = units
    low = min(0xFFFF, draw(st.sampled_from([first, first + 3, first + 40, end - length])))
    return Access(low + base, low, low + length - 1, outer, inner, mode, move)


def halves(config, memory, width, unit):
    """First and end address of both halves of a memory; ``unit`` elements an address."""
    units = sizes_of(config)[memory] * (16 // BITS[width]) // unit
    return (0, units // 2), (units // 2, units)


@st.composite
def reductions(draw, op, reduce):
    """Fields of a pass by its reduction, no use of what it makes."""
    fields = {"anchored": False, "adjust": draw(st.sampled_from([Adjust.NONE, Adjust.PLACES]))}
    if reduce in (Reduce.RANK, Reduce.POP):
        return fields | {"op": op if draw(rarely) else Op.MAC,
                         "entry": draw(st.integers(0, 15))}
    if reduce is Reduce.RANGE:
        return fields | {"x_shape": Shape.LANES, "op": Op.MAC if op is Op.CROSS else op}
    return fields if reduce in (Reduce.MAX, Reduce.MIN) else {}


@st.composite
def beats_and_entries(draw, reduce):
    """Beats of a pass by its reduction, and whether it holds or resumes sums."""
    beats, held = draw(st.integers(1, 4)), draw(st.sampled_from(["", "", "", "hold", "resume"]))
    if reduce in (Reduce.RANK, Reduce.POP):
        return 1 + draw(rarely), ""
    if reduce is Reduce.RANGE:
        return 4, ""
    return 4 if held == "hold" else beats, held


@st.composite
def entries(draw, op, held, outputs):
    """Fields of a pass that holds or resumes so many sums, or of one that does neither."""
    if not held:
        return {}
    fields = {"op": op if op is Op.CROSS else Op.MAC, held: True,
              "entry": draw(st.integers(0, HELD - outputs))}
    if held == "hold":
        fields |= {"table": Table.NONE, "reduce": Reduce.NONE, "adjust": Adjust.NONE,
                   "anchored": False, "inverted": False}
    return fields


scales = st.fixed_dictionaries({
    "scale": st.sampled_from([Scale.BITS32, Scale.BITS16, Scale.SYMMETRIC16]),
    "addend": st.booleans(), "once": st.booleans(), "adjust": st.just(Adjust.NONE),
    "anchored": st.just(False), "inverted": st.just(False), "bias_row": st.just(0),
    "rounding": st.sampled_from([*ROUNDINGS, RoundMode.TWICE, RoundMode.TWICE]),
})


@st.composite
def passes(draw, config):
    """A pass that reads one half of X and Y and writes the other; some fault."""
    outer, taps = draw(st.tuples(counts, counts, counts)), draw(st.tuples(counts, counts, counts))
    kinds = {name: draw(st.sampled_from(kind)) for name, kind in (
        ("x_shape", Shape), ("y_shape", Shape), ("x_width", Width), ("y_width", Width),
        ("z_width", Width), ("z_memory", Memory), ("rounding", ROUNDINGS),
        ("acc_range", AccumulatorRange),
        ("op", [Op.MAC, Op.MAC, Op.SPREAD, Op.CROSS, Op.SHARE, *PLAIN[1:]]),
        ("table", Table), ("table_rounding", ROUNDINGS),
        ("reduce", [kind for kind in Reduce if kind in config.capabilities.reductions]),
        ("adjust", Adjust), ("fresh", [True, False]), ("anchored", [True, False]),
        ("drop", [0, 0, 1, 2, 3]), ("inverted", [False] * 7 + [True]))}
    kinds |= draw(reductions(kinds["op"], kinds["reduce"]))
    ranks = kinds["reduce"] in (Reduce.RANK, Reduce.POP)
    beats, held = draw(beats_and_entries(kinds["reduce"]))
    kinds |= draw(entries(kinds["op"], held, outer[0]))
    shares = kinds["op"] is Op.SHARE
    if shares:
        kinds |= {"adjust": Adjust.PLACES, "anchored": False, "inverted": False}
    scaled = not (held or ranks or shares) and draw(st.integers(0, 2)) == 0
    if scaled:
        kinds |= draw(scales)
    if kinds["op"] is Op.CROSS:
        kinds["x_shape"] = Shape.VECTOR
    if kinds["op"] is Op.SPREAD:
        outer = (1, *outer[1:])
    if kinds["op"] is Op.MAC:
        kinds["floor"] = draw(st.sampled_from([0, 0, 0, 1, 2, 8, 14, 15]))
    if kinds["x_width"] is Width.BITS8:
        kinds["x_zero"] = draw(st.sampled_from([0, 0, -128, 127, 32640]))
    draft = Pass(x=None, y=None, z=None, outer=outer, taps=taps, beats=beats,
                 rows=draw(axes(outer[1], taps[0])), cols=draw(axes(outer[2], taps[1])), **kinds)
    side, lanes, ways = draw(st.integers(0, 1)), config.lanes, config.ways
    y_unit = lanes * (ways if draft.operands.y_shape is Shape.VECTOR else 1)
    span   = draft.epilogue.beats if draft.operands.x_shape is Shape.LANES else 1
    x, y, z = (halves(config, *place) for place in (
        (Memory.X, draft.operands.x_width, ways), (Memory.Y, draft.operands.y_width, y_unit),
        (draft.epilogue.z_memory, draft.epilogue.z_width, ways)))
    most  = (1 << (16 if draft.epilogue.table is Table.NONE else ELEMENT_BITS) - 1) - 1
    limit = draw(st.sampled_from([(1 << BITS[draft.epilogue.z_width] - 1) - 1, most]))
    zero  = draw(st.sampled_from([0, 0, 5, -100]))
    low, high = draw(st.sampled_from([(-limit - 1, limit)] * 3 + [(0, limit), (-5, 6), (-1, -1)]))
    of_x = draw(accesses(draft, x[side], span=span))
    if draft.accumulate.op is Op.CROSS and not draw(rarely):
        of_x = align_window(of_x)
    pass_ = replace(
        draft, x=of_x, y=draw(accesses(draft, y[side])),
        z=draw(accesses(draft, z[1 - side], taps=False, beats=draft.epilogue.beats)),
        bias_row=None if held == "resume" else draw(bias(config, draft, side)),
        shift=0 if scaled else draw(st.sampled_from(SHIFTS)), table_shift=draw(st.integers(0, 15)),
        clip=(max(low, -most - 1 - zero), min(high, most - zero)), zero=zero, wait=draw(rarely))
    slides = draw(st.integers(0, 2)) == 0 and _can_slide(pass_, config)
    return slide_of(pass_) if slides else pass_


def _can_slide(pass_, config):
    """Whether a slide can have the fields of ``pass_``."""
    accumulate = pass_.accumulate
    free = not (accumulate.hold or accumulate.resume) and pass_.reduction.reduce not in (
        Reduce.RANGE, Reduce.RANK, Reduce.POP)
    return (config.ways > 1 and accumulate.op is Op.MAC and free
            and pass_.operands.y_shape is Shape.VECTOR)


@st.composite
def gathers(draw, config):
    """A gather that reads one half of X and Y and writes the other; some fault."""
    pass_ = draw(passes(config))
    side  = draw(st.integers(0, 1))
    table = config.lanes * config.ways
    reduce = Reduce.NONE if pass_.reduction.reduce is Reduce.RANGE else pass_.reduction.reduce
    draft = replace(pass_, op=Op.GATHER, reduce=reduce, x_shape=Shape.VECTOR,
                    y_shape=Shape.VECTOR, beats=4,
                    rows=Axis(), cols=Axis(), bias_row=None, scale=Scale.NONE, addend=False,
                    once=False, rounding=draw(st.sampled_from(ROUNDINGS)), floor=0, hold=False,
                    resume=False)
    x, y, z = (halves(config, *place) for place in (
        (Memory.X, draft.operands.x_width, 1), (Memory.Y, draft.operands.y_width, table * table),
        (draft.epilogue.z_memory, draft.epilogue.z_width, config.ways)))
    y_low  = table * draw(st.integers(y[side][0], y[side][1] - 1))
    if math.prod((*draft.loop.outer, *draft.loop.taps)) // config.ways > (z[0][1] - z[0][0]) // 2:
        draft = replace(draft, outer=(1, 1, 1))
    groups = -(-math.prod((*draft.loop.outer, *draft.loop.taps)) // config.ways)
    least, slack = draw(st.integers(0, 2)), draw(st.sampled_from([0, 0, 2, -1]))
    z_low  = z[1 - side][0] + draw(st.integers(0, 40))
    return replace(
        draft, x=draw(accesses(draft, x[side])), y=Access(y_low, y_low, y_low + table - 1),
        z=Access(z_low + least, z_low, z_low + max(0, least + groups - 1 + slack)))


@st.composite
def bias(draw, config, draft, side):
    """A row of Y so that all records fit into a half, rarely beyond the end of Y, or None.

    If ``draft`` is scaled it has a row already.
    """
    scaled = draft.epilogue.scale is not Scale.NONE
    rows = (record_rows(draft, config.ways) if scaled
            else bias_rows(config.ways) * draft.loop.outer[0])
    end  = config.y_rows * (1 + side) // 2
    beyond = draw(rarely) * side
    return draw(st.sampled_from([*[None] * (0 if scaled else 2), end - config.y_rows // 2,
                                 end - rows + beyond]))


@st.composite
def hold_all(draw, steps):
    """A pass that fills all entries, so that nothing is resumed that another program has left."""
    return Pass(x=Access(5, 5, 5), y=Access(0, 0, HELD - 1, (1, 0, 0)), z=Access(0, 0, 3),
                outer=(HELD, 1, 1), taps=(1, 1, steps), y_width=Width.BITS16, hold=True,
                bias_row=draw(st.sampled_from([None, 0])), shift=draw(st.sampled_from(SHIFTS)),
                rounding=draw(st.sampled_from(ROUNDINGS)),
                acc_range=draw(st.sampled_from(AccumulatorRange)))


@st.composite
def programs(draw, config, most, *, reorders=True):
    """A linked program with the waits it needs, and where it starts; without ``reorders`` none that
    gathers, spreads, crosses groups of X or uses a table of the host."""
    each   = passes(config).filter(lambda pass_: reorders or (
        pass_.accumulate.op not in (Op.SPREAD, Op.CROSS, Op.SHARE)
        and pass_.epilogue.table not in OWN_TABLES
        and pass_.reduction.reduce not in (Reduce.RANK, Reduce.POP, Reduce.RANGE)))
    each   = st.one_of(each, each, gathers(config)) if reorders else each
    drawn  = draw(st.lists(each, min_size=1, max_size=most))
    if draw(st.booleans()):
        end = draw(st.integers(0, len(drawn) - 1))
        advance = st.integers(-STEP, STEP)
        drawn[end] = replace(drawn[end], back=draw(st.integers(0, end)),
                             repeat=draw(st.integers(1, TURNS)),
                             advance=draw(st.tuples(advance, advance)))
    if any(pass_.accumulate.resume for pass_ in drawn):
        drawn.insert(0, draw(hold_all(draw(st.integers(1, 9)))))
    linked = set_waits(drawn, config)
    return ([replace(pass_, wait=pass_.control.wait or wanted.control.wait)
             for pass_, wanted in zip(linked, drawn, strict=True)],
            draw(st.sampled_from([0, 0, 5, config.passes - len(drawn)])))
