# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.fetch.scan: rows in the passes' windows, as fast as it takes them."""

from dataclasses import replace

import cocotb

from xymac.hdl.core.fetch.scan import Rows
from xymac.hdl.isa import (
    BANKS,
    Access,
    Encoded,
    Memory,
    Op,
    Pass,
    Scale,
    Shape,
    Width,
    fields_of,
    pack,
    record_rows,
)
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

WAYS  = int(cocotb.plusargs["ways"])
ROWS  = 4096
APART = 5  # cycles from a pass to the next
#: Cycles from the rows of X to those of each window.
TIMES = {"x": 0, "y": 1, "z": 2, "bias": 4}


def random_pass(rng):
    """A pass with windows of every size, some of a row or two; legal but for its addend."""
    while True:
        pass_ = _any_pass(rng)
        try:
            word_of(pass_)
        except ValueError:
            continue
        return pass_


def _any_pass(rng):
    def access(top):
        low  = rng.choice([0, rng.randrange(top), rng.randrange(top // 64)])
        high = min(low + rng.choice([0, 1, 7, rng.randrange(top)]), top - 1)
        return Access(low, low, high)
    bias = rng.choice([None, 0, ROWS - 1, ROWS, rng.randrange(ROWS), rng.randrange(1 << 16)])
    return Pass(
        op=rng.choice([Op.MAC, Op.MAC, Op.GATHER, Op.SPREAD]), x=access(BANKS * ROWS),
        y=access(ROWS), z=access(BANKS * ROWS),
        x_width=rng.choice(list(Width)), y_width=rng.choice(list(Width)),
        z_width=rng.choice(list(Width)), y_shape=rng.choice(list(Shape)),
        z_memory=rng.choice(list(Memory)), bias_row=bias, scale=rng.choice(list(Scale)),
        addend=rng.random() < 0.5, once=rng.random() < 0.5,
        outer=(rng.choice([1, 2, rng.randint(1, 40), 65535]), 1, 1))


def word_of(pass_):
    """The word of a pass, whose addend counts as a record even without a scale."""
    flags = {name: getattr(pass_.epilogue, name) for name in ("addend", "once")}
    if pass_.epilogue.scale is Scale.NONE:
        pass_ = replace(pass_, addend=False, once=False)
    return encode(Encoded, decode(Encoded, pack(pass_)) | {
        name: int(flag) for name, flag in flags.items()})


def windows(pass_):
    """A pass's windows: (in Y, first row, last row) by name, or None for no bias."""
    accumulate = pass_.accumulate
    in_y  = pass_.epilogue.z_memory is Memory.Y
    units = {"x": (False, BANKS * (WAYS if accumulate.op is Op.GATHER else 1)),
             "y": (True, WAYS if pass_.operands.y_shape is Shape.LANES else 1),
             "z": (in_y, BANKS * (WAYS if in_y else 1))}
    places = {"bias": None}
    for name, (memory, count) in units.items():
        fields = fields_of(pass_)
        count *= 1 + (fields[f"{name}_width"] is Width.BITS8)
        places[name] = memory, fields[name].low // count, fields[name].high // count
    if accumulate.bias_row is not None and accumulate.bias_row < ROWS:
        last = min(accumulate.bias_row + record_rows(pass_, WAYS), ROWS) - 1
        places["bias"] = True, accumulate.bias_row, last
    return places


@cocotb.test
async def finds_rows(dut):
    """For every window, with only a bit in ``turn``."""
    await start(dut)
    rng    = random_of(61)
    passes = [random_pass(rng) for _ in range(400)]
    inputs = [{"pass_": word_of(pass_), "begin": int(not cycle)}
              for pass_ in passes for cycle in range(APART)]
    results = await feed(dut, inputs, ["rows", "turn"], 2)
    for number, pass_ in enumerate(passes):
        for index, (name, window) in enumerate(sorted(windows(pass_).items(),
                                                      key=lambda item: TIMES[item[0]])):
            result = results[APART * number + TIMES[name]]
            rows   = decode(Rows, result["rows"])
            assert result["turn"] == 1 << index, (name, pass_)
            if name == "bias":
                assert rows["here"] == (window is not None), pass_
            if window is not None:
                assert (rows["low"], rows["high"]) == window[1:], (name, pass_)
            if name == "z":
                assert rows["here"] == window[0], pass_
