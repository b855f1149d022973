# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.scalar_override: every stage has its sum's fields."""

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.core.fields import STAGES, OutputConfig
from xymac.hdl.core.reduction import Scalars
from xymac.hdl.core.scalar_override import Kept, ScalarOverride
from xymac.hdl.isa import (
    BANKS,
    ROUNDINGS,
    SHIFT_MAX,
    SHIFT_MIN,
    AccumulatorRange,
    Adjust,
    Encoded,
    Op,
    Place,
    Scale,
    Table,
    Width,
)
from xymac.sim.agents.fields import fields_of
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start
from xymac.sim.agents.tables import TABLES_AT, place_fields

COUNT = int(cocotb.plusargs["slots"])


def draw_scalars(rng):
    """Random scalars from a reduction."""
    return {"wide_range": [rng.randrange(2), rng.randrange(2)],
            "anchor": [rng.randint(-32768, 32767) for _ in range(2)],
            "places": rng.randrange(32), "inverse": rng.randrange(1 << 15)}


def draw_pass(rng):
    """Random fields for an Encoded pass, and its table's place."""
    table = rng.choice(TABLES_AT)
    clip  = sorted(rng.randint(-32768, 32767) for _ in range(2))
    scale = rng.choice([Scale.NONE, Scale.NONE, Scale.BITS32, Scale.SYMMETRIC16])
    kind  = rng.choice(["plain", "held", "inverted", "adjusted"])
    return {
        "op": rng.choice([Op.SHARE, *list(Op)[1:]]), "scale": scale, "clip": clip,
        "shift": rng.randint(SHIFT_MIN, SHIFT_MAX), "rounding": rng.choice(ROUNDINGS),
        "acc_range": rng.choice(list(AccumulatorRange)), "zero": rng.randint(-32768, 32767),
        "x_width": rng.choice(list(Width)), "z_width": rng.choice(list(Width)),
        "table": rng.choice([Table.NONE, Table.SIGM, Table.ROOT]).value,
        "own": rng.choice([0, 0, 1]), "table_shift": rng.randrange(16),
        "table_rounding": rng.choice(ROUNDINGS), "hold": kind == "held",
        "inverted": kind == "inverted", "anchored": kind == "adjusted" and rng.randrange(2),
        "adjust": rng.choice(list(Adjust)) if kind == "adjusted" else Adjust.NONE}, table


def expect(pass_, table, scalars, keep, short):
    """Expected fields in all stages for a sum."""
    wide   = scalars["wide_range"][pass_["x_width"].value]
    adjust = pass_["adjust"]
    more   = {Adjust.SHIFT: -wide, Adjust.PLACES: scalars["places"]}.get(adjust, 0)
    shift  = pass_["shift"] + more
    looks  = bool(pass_["table"] or pass_["own"])
    scaled = pass_["op"] is Op.SHARE or pass_["scale"] is not Scale.NONE
    anchored = pass_["anchored"] and not scaled
    fields = fields_of({
        "op": pass_["op"],
        "anchor": scalars["anchor"][pass_["x_width"].value] if anchored else 0,
        "halve": wide and anchored, "shift": min(max(shift, SHIFT_MIN), SHIFT_MAX),
        "acc_range": pass_["acc_range"], "inverted": pass_["inverted"],
        "inverse": scalars["inverse"], "clip": pass_["clip"], "zero": pass_["zero"],
        "rounding": pass_["rounding"], "wide": pass_["z_width"].value, "table": table,
        "looks": looks,
        "table_shift": max(pass_["table_shift"] - (wide and adjust is Adjust.TABLE), 0),
        "table_rounding": pass_["table_rounding"],
        "held": pass_["hold"] and pass_["acc_range"] is AccumulatorRange.BITS40},
        {"keep": keep, "short": short, "scaled": scaled})
    if pass_["hold"] and pass_["acc_range"] is AccumulatorRange.BITS40:
        # Larger amounts give the same flag for every sum.
        fields["shift"]["amount"] = min(pass_["shift"] + 22, SHIFT_MAX) - SHIFT_MIN
    return fields


async def watch(dut, seen):
    """Append the ``o`` value in every cycle to ``seen``."""
    while True:
        await RisingEdge(dut.clk)
        seen.append(int(dut.o.value))


@cocotb.test
@cocotb.parametrize(gaps=[(0,), (0, 0, 1, 7, 30)])
async def fields_go_with_their_sums(dut, gaps):
    """Outputs from passes in slot order, at minimum and larger distances."""
    rng = random_of(47)
    for port in (dut.soon, dut.last, dut.short, dut.keep, dut.restart, dut.loading):
        port.value = 0
    await start(dut)
    for _ in range(40):
        passes, scalars = [draw_pass(rng) for _ in range(COUNT)], draw_scalars(rng)
        await load(dut, passes)
        dut.restart.value = 1
        await RisingEdge(dut.clk)
        dut.restart.value = 0
        for _ in range(6):
            await RisingEdge(dut.clk)
        dut.scalars.value = encode(Scalars, scalars)
        for _ in range(ScalarOverride.AHEAD):
            await RisingEdge(dut.clk)
        await run(dut, rng, gaps, passes * 3, scalars)


async def run(dut, rng, gaps, passes, scalars):
    """Run a program whose passes have one to three outputs each."""
    firsts, inputs, items = [], [], []
    for pass_, table in passes[:rng.randint(1, len(passes))]:
        outputs = rng.choice([1, 1, 2, 3])
        for output in range(outputs):
            short = rng.randrange(2)
            for beat in range(BANKS):
                keep = rng.randrange(2)
                firsts.append(beat == 0)
                inputs.append((short, output == outputs - 1, keep))
                items.append(expect(pass_, table, scalars, keep, short))
            for _ in range(rng.choice(gaps)):
                firsts.append(0)
                inputs.append((rng.randrange(2), rng.randrange(2), 0))
                items.append(None)
    rest = max(STAGES.values()) + 2
    dut.soon.value = firsts[0]
    await RisingEdge(dut.clk)
    seen = []
    watching = cocotb.start_soon(watch(dut, seen))
    for soon, (short, last, keep) in zip([*firsts[1:], *[0] * (rest + 1)],
                                         inputs + [(0, 0, 0)] * rest, strict=True):
        dut.soon.value, dut.short.value, dut.last.value, dut.keep.value = soon, short, last, keep
        await RisingEdge(dut.clk)
    watching.cancel()
    check(seen, items)


async def load(dut, passes):
    """Put passes and places into all slots, each for as long as a loader does."""
    for index, (pass_, table) in enumerate(passes):
        dut.coming.value = encode(Encoded, pass_)
        dut.table.value  = encode(Place, place_fields(table))
        dut.loading.value = 1 << index
        for _ in range(Kept.STAND):
            await RisingEdge(dut.clk)
        dut.loading.value = 0
        await RisingEdge(dut.clk)


def check(seen, items):
    """Assert that every stage had a sum's fields in the sum's cycle."""
    for number, item in enumerate(items):
        for stage, fields in (item or {}).items():
            field = OutputConfig[stage]
            actual = seen[number + STAGES[stage]] >> field.offset & (1 << field.width) - 1
            assert actual == encode(field.shape, fields), (
                number, stage, decode(field.shape, actual), fields)
