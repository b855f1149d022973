# SPDX-License-Identifier: Apache-2.0
"""Further bench for xymac.hdl.core.fetch.sequencer: all outputs of every load."""

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.config import SLOTS
from xymac.hdl.core.fetch.loader import PlaceWrite, Starts
from xymac.hdl.core.fetch.scan import Rows
from xymac.hdl.isa import Access, Move, Pass, State, Status, Table, pack, pack_place
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode

from .loader import place_tables, starts_of
from .scan import TIMES, windows
from .sequencer import PASSES, load, prepare, run

COUNT = int(cocotb.plusargs["slots"])
NAMES = sorted(TIMES, key=TIMES.get)  #: Windows in the order of their bits in ``turn``.


def random_program(rng, places):
    """Legal passes with moves, tables, windows and a loop; returns (passes, loop end)."""
    tables = [table for table in Table if places[table.value] != pack_place(None)]

    def access():
        low = rng.randrange(40)
        return Access(rng.randint(-300, 300), low, low + rng.randrange(60),
                      move=rng.choice(list(Move)))

    end = rng.randrange(PASSES)
    back, repeat = rng.randint(0, end), rng.randint(1, 4)
    return [Pass(
        x=access(), y=access(), z=access(), taps=(1, 1, number + 1), last=number == PASSES - 1,
        bias_row=rng.choice([None, 0, rng.randrange(400)]), table=rng.choice([Table.NONE, *tables]),
        advance=tuple(rng.randint(-500, 500) for _ in range(2)),
        **({"back": back, "repeat": repeat} if number == end else {}))
        for number in range(PASSES)], end


def loads_of(passes, end):
    """(number, iteration) of every load from the first pass on."""
    control = passes[end].control
    first   = end - control.back
    body    = [(number, iteration) for iteration in range(control.repeat + 1)
               for number in range(first, end + 1)]
    return ([(number, 0) for number in range(first)] + body
            + [(number, 0) for number in range(end + 1, PASSES)])


async def note_loads(dut, loads):
    """Append a dict for each load: its slot, and all outputs once ``loading`` has left it."""
    half  = len(dut.index) // SLOTS
    before, word, rows = 0, 0, {}
    while True:
        await RisingEdge(dut.clk)
        turn = int(dut.turn.value)
        if turn:
            assert turn & turn - 1 == 0, turn
            rows[NAMES[turn.bit_length() - 1]] = decode(Rows, int(dut.rows.value))
        now = int(dut.loading.value)
        if before and now != before:
            slot = before.bit_length() - 1
            noted, rows = {"slot": slot, "word": word, "rows": rows}, {}
            noted["number"] = int(dut.index.value) >> half * slot & (1 << half) - 1
            noted["again"]  = int(dut.again.value) >> slot & 1
            noted["moved"]  = decode(Starts, int(dut.moved.value))
            noted["found"]  = int(dut.found.value)
            loads.append(noted)
        before, word = now, int(dut.coming.value)


async def make_noise(dut, rng):
    """Data beside writes that are not enabled."""
    while True:
        dut.program.value = rng.getrandbits(len(dut.program))
        noise = rng.getrandbits(len(dut.place))
        field = PlaceWrite["enable"]
        dut.place.value = noise & ~((1 << field.width) - 1 << field.offset)
        await RisingEdge(dut.clk)


def assert_rows(found, pass_):
    """Compare the rows of a pass's windows."""
    for name, window in windows(pass_).items():
        if window is None:
            assert not found[name]["here"], pass_
            continue
        assert (found[name]["low"], found[name]["high"]) == window[1:], (name, pass_)
        if name in ("z", "bias"):
            assert found[name]["here"] == window[0], (name, pass_)


@cocotb.test
@cocotb.parametrize(pace=[1, 40])
async def outputs_of_loads(dut, pace):
    """Each load puts the pass, its moved starts, table place and rows into the next slot."""
    rng = random_of(165)
    await prepare(dut, pace)
    places = await place_tables(dut, rng)
    for _ in range(8):
        passes, end = random_program(rng, places)
        await load(dut, passes)
        loads = []
        notes = cocotb.start_soon(note_loads(dut, loads))
        noise = cocotb.start_soon(make_noise(dut, rng))
        assert await run(dut) == (State.DONE, Status.OK, 0, PASSES - 1)
        notes.cancel()
        noise.cancel()

        assert [noted["slot"] for noted in loads] == [place % COUNT for place in range(len(loads))]
        expected = loads_of(passes, end)
        assert [noted["number"] for noted in loads] == [number for number, _ in expected]
        for noted, (number, iteration) in zip(loads, expected, strict=True):
            pass_ = passes[number]
            moves = [iteration * step for step in passes[end].control.advance]
            assert noted["word"]  == pack(pass_), number
            assert noted["again"] == (iteration > 0), number
            assert noted["moved"] == starts_of(pass_, moves), (number, iteration)
            assert noted["found"] == places[pass_.epilogue.table.value], number
            assert_rows(noted["rows"], pass_)
