# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.reduction in exact arithmetic: skewed vectors from random passes."""


import cocotb
from cocotb.simtime import get_sim_time
from cocotb.triggers import RisingEdge

from xymac.hdl.config import SLOTS
from xymac.hdl.core.reduction import Heap, Range, Reduction, Scalars
from xymac.hdl.isa import BANKS, Encoded, Reduce, RoundMode
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

from .heap import Model as HeapModel

WAYS  = int(cocotb.plusargs["ways"])
HEAP  = (Reduce.RANK, Reduce.POP)
PERIOD = 10  # clock period, ns
EDGES = {1: [-32768, -1, 0, 1, 32767], 0: [-128, -1, 0, 1, 127]}


def random_pass(rng):
    """A pass's configuration, and its vectors."""
    config = {"reduce": rng.choice(list(Reduce)), "fresh": rng.randrange(2),
              "drop": rng.randrange(max(WAYS, 2)), "wide": rng.randrange(2),
              "rounding": rng.choice([RoundMode.UP, RoundMode.CONVERGENT]),
              "entry": rng.choice([0, 1, 2, 4, 6, 7, 14, 15])}
    top    = 32767 if config["wide"] else 127
    low    = rng.choice([-top - 1, 0, 1])
    groups = [[rng.choice([*(edge for edge in EDGES[config["wide"]] if edge >= low),
                           rng.randint(low, top)]) for _ in range(WAYS)]
              for _ in range(rng.choice([1, 2, 3, 20]))]
    return config, groups


class Model:
    """Scalars in exact arithmetic."""

    def __init__(self):
        self.maximum = self.minimum = self.total = self.places = 0
        self.inverse = 32767
        self.heap, self.ranked = HeapModel(), False

    def take(self, config, groups):
        """Fold a pass's written vectors, as ``config`` selects."""
        elements = [element for group in groups for element in group]
        reads    = config["reduce"] is Reduce.RANGE  # elements of X, of which none is dropped
        elements = elements[:len(elements) - (0 if reads else config["drop"])]
        if config["reduce"] not in (Reduce.NONE, Reduce.SUM):
            self.ranked = config["reduce"] in HEAP
        match config["reduce"]:
            case Reduce.RANK:
                if config["fresh"]:
                    self.heap.begin(config["entry"] + 1)
                for element in elements:
                    self.heap.take(element)
            case Reduce.POP:
                for _ in groups:
                    self.heap.pop()
            case Reduce.SUM:
                self.total = sum(elements) + (0 if config["fresh"] else self.total)
                self._invert(config["rounding"])
        if config["reduce"] in (Reduce.MAX, Reduce.RANGE):
            self.maximum = max([*elements, -32768 if config["fresh"] else self.maximum])
        if config["reduce"] in (Reduce.MIN, Reduce.RANGE):
            self.minimum = min([*elements, 32767 if config["fresh"] else self.minimum])

    def _invert(self, rounding):
        total = self.total if 0 < self.total < 1 << 31 else 1
        self.places = total.bit_length() - 1
        whole, rest = divmod(total << 30 - self.places, 1 << 16)
        half  = 1 << 15
        whole += rest > half or (rest == half and (rounding is RoundMode.UP or whole % 2 == 1))
        self.inverse = min(2 ** 29 // min(whole, 32767), 32767)

    @property
    def scalars(self):
        """Scalars for the following passes."""
        top, low = self.maximum, self.minimum
        if self.ranked:
            top = low = 32767 - self.heap.place
        wide = [int(top - low > limit) for limit in (128, 32768)]
        return {"wide_range": wide, "anchor": [top & ~bit for bit in wide],
                "places": self.places, "inverse": self.inverse}


async def load(dut, slot, config):
    """Load a pass's config into a slot; the other slots stay unchanged."""
    code  = config["reduce"].value
    pass_ = {"reduce": code % 4, "ranks": code // 4, "z_width": config["wide"],
             "table_rounding": config["rounding"]}
    pass_ |= {name: config[name] for name in ("fresh", "drop", "entry")}
    dut.coming.value, dut.loading.value = encode(Encoded, pass_), 1 << slot
    await RisingEdge(dut.clk)
    dut.coming.value, dut.loading.value = 0, 0


class Columns:
    """Shows every element in its cycle, and noise in all others: column ``c`` is ``c`` cycles late.

    The upper bytes of 8-bit elements are noise too.
    """

    def __init__(self, dut, rng):
        self._dut, self._rng, self._due = dut, rng, {}
        cocotb.start_soon(self._run())

    async def _run(self):
        while True:
            await RisingEdge(self._dut.clk)
            due = self._due.pop(get_sim_time("ns"), {})
            self._dut.elements.value = sum(
                due.get(column, self._rng.getrandbits(16)) << 16 * column
                for column in range(WAYS))

    def noise(self, count):
        """A random number below ``count``."""
        return self._rng.randrange(count)

    def show(self, group, wide):
        """Show a vector that is written in the present cycle."""
        for column, value in enumerate(group):
            noise = 0 if wide else self._rng.getrandbits(8) << 8
            shown = self._due.setdefault(get_sim_time("ns") + PERIOD * (column + 1), {})
            shown[column] = value % 65536 if wide else value % 256 | noise


async def write(dut, columns, slot, config, groups, pause, whole=True):
    """Write a pass's vectors, with ``pause()`` cycles between; ``whole`` with its last vector.

    Without a vector its slot and its mark are noise.
    """
    for index, group in enumerate(groups):
        for _ in range(pause(index)):
            await RisingEdge(dut.clk)
        columns.show(group, config["wide"])
        dut.written.value, dut.written_slot.value = 1, slot
        dut.written_final.value = int(whole and index == len(groups) - 1)
        await RisingEdge(dut.clk)
        dut.written.value = 0
        dut.written_slot.value  = columns.noise(SLOTS)
        dut.written_final.value = columns.noise(2)


async def read(dut, config, groups):
    """Read vectors, an element pair a cycle, then wait until the range is valid."""
    elements = [element for group in groups for element in group]
    for index, element in enumerate(elements):
        other = elements[(index * 7 + 3) % len(elements)]
        dut.range.value = encode(Range, {
            "valid": 1, "fresh": int(config["fresh"] and index == 0),
            "maximum": max(element, other), "minimum": min(element, other)})
        await RisingEdge(dut.clk)
    dut.range.value = encode(Range, {"valid": 0, "fresh": 1, "maximum": 32767, "minimum": -32768})
    for _ in range(Reduction.RANGED):
        await RisingEdge(dut.clk)


async def count_busy(dut, kind):
    """Assert that ``folding`` lasts the documented time, for any elements."""
    busy = Reduction.POP if kind is Reduce.POP else Reduction.RANK + BANKS * WAYS
    for _ in range(busy - 1):
        assert dut.folding.value
        await RisingEdge(dut.clk)
    assert not dut.folding.value, kind


async def count_dividing(dut):
    """Assert ``folding`` without a gap; return in the first cycle with the scalars."""
    fall = Reduction.DIVIDE + BANKS * WAYS - Reduction.SOON - 1
    for cycle in range(2, fall + Reduction.SOON - 1):
        assert dut.folding.value == (cycle < fall), cycle
        await RisingEdge(dut.clk)


async def settle(dut, kind):
    """Wait from two cycles after a pass's last vector until its scalars are documented to be valid;
    assert ``folding`` on the way."""
    if kind in HEAP:
        await count_busy(dut, kind)
    elif kind is Reduce.SUM:
        await count_dividing(dut)
    else:
        waits = (Reduce.MAX, Reduce.MIN) if WAYS > 1 else ()
        assert dut.folding.value == (kind in waits)
        for _ in range(BANKS * WAYS + 2):
            await RisingEdge(dut.clk)
        assert not dut.folding.value


async def flush(dut):
    """Start a program; returns a new model, and asserts that its scalars are valid."""
    dut.start.value, model = 1, Model()
    await RisingEdge(dut.clk)
    dut.start.value = 0
    for _ in range(Reduction.FLUSHED):
        await RisingEdge(dut.clk)
    assert decode(Scalars, int(dut.scalars.value)) == model.scalars
    assert not dut.folding.value
    return model


async def prepare(dut, rng):
    """Reset and start a program; returns the Columns and a model."""
    for name in ("written", "written_final", "start", "written_slot", "elements", "range",
                 "loading"):
        getattr(dut, name).value = 0
    await start(dut)
    columns = Columns(dut, rng)
    return columns, await flush(dut)


def pauses(rng, gap, apart):
    """Function from a vector's index to the cycles before it: at least ``apart`` from vector to
    vector, and more with the probability ``gap``."""
    def pause(index):
        cycles = apart - 1 if index else 0
        while rng.random() < gap:
            cycles += 1
        return cycles

    return pause


@cocotb.test
@cocotb.parametrize(gap=[0.0, 0.5])
async def scalars_of_passes(dut, gap):
    """Pass after pass; each pass's scalars are right when the core may use them."""
    rng = random_of(161)
    columns, model = await prepare(dut, rng)
    for number in range(300):
        slot = number % SLOTS
        config, groups = random_pass(rng)
        if config["reduce"] is Reduce.SUM and rng.random() < 0.7:
            groups = [[element if element >= 0 else ~element for element in group]
                      for group in groups]
        await load(dut, slot, config)
        if rng.random() < 0.05:
            model = await abort(dut, columns, slot, config, groups)
            continue
        model.take(config, groups)
        if config["reduce"] is Reduce.RANGE:
            await read(dut, config, groups)
            assert decode(Scalars, int(dut.scalars.value)) == model.scalars, (number, config)
            groups = [[32767, -32768, 5, 5][:WAYS]]
        apart = max(Heap.POP, WAYS * Heap.CYCLES) if config["reduce"] in HEAP else 1
        await write(dut, columns, slot, config, groups, pauses(rng, gap, apart))
        for _ in range(2):
            await RisingEdge(dut.clk)
        await settle(dut, config["reduce"])
        scalars = decode(Scalars, int(dut.scalars.value))
        assert scalars == model.scalars, (number, config, groups)
        if rng.random() < 0.05:
            model = await flush(dut)


async def abort(dut, columns, slot, config, groups):
    """Write vectors before the last of a pass, then start another program; returns a new model."""
    apart = max(Heap.POP, WAYS * Heap.CYCLES)
    await write(dut, columns, slot, config, groups, lambda index: apart, whole=False)
    for _ in range(BANKS * WAYS + 6):
        await RisingEdge(dut.clk)
    return await flush(dut)


@cocotb.test
async def divides_complete_sums(dut):
    """The inverse stays until the last vector of a sum, however long the vectors before it take."""
    rng = random_of(162)
    columns, model = await prepare(dut, rng)
    for number in range(20):
        config, _ = random_pass(rng)
        config |= {"reduce": Reduce.SUM, "fresh": 1}
        groups = [[rng.randint(0, 127) for _ in range(WAYS)] for _ in range(3)]
        await load(dut, number % SLOTS, config)
        await write(dut, columns, number % SLOTS, config, groups[:2], lambda _: 9, whole=False)
        for _ in range(Reduction.DIVIDE + BANKS * WAYS + 2):
            await RisingEdge(dut.clk)
            assert not dut.folding.value
        assert decode(Scalars, int(dut.scalars.value)) == model.scalars
        await write(dut, columns, number % SLOTS, config, groups[2:], lambda _: 0)
        model.take(config, groups)
        for _ in range(2):
            await RisingEdge(dut.clk)
        await settle(dut, Reduce.SUM)
        assert decode(Scalars, int(dut.scalars.value)) == model.scalars
