# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.reduction in exact arithmetic: skewed vectors from random passes."""


import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.config import SLOTS
from xymac.hdl.core.reduction import Heap, Range, Reduction, Scalars
from xymac.hdl.isa import BANKS, Encoded, Reduce, RoundMode
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

from .heap import Model as HeapModel

WAYS  = int(cocotb.plusargs["ways"])
HEAP  = (Reduce.RANK, Reduce.POP)
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


async def write(dut, slot, groups, gap, rng, apart):
    """Write a pass's vectors, at least ``apart`` cycles each; columns are skewed by a cycle."""
    for index, _ in enumerate(groups):
        for _ in range(apart - 1 if index else 0):
            await RisingEdge(dut.clk)
        while rng.random() < gap:
            await RisingEdge(dut.clk)
        cocotb.start_soon(show(dut, groups[index]))
        dut.written.value, dut.written_slot.value = 1, slot
        dut.written_final.value = int(index == len(groups) - 1)
        await RisingEdge(dut.clk)
        dut.written.value = 0


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


async def settle(dut, kind):
    """Wait until the last pass's scalars are valid, by ``folding`` or by the documented time."""
    for _ in range(BANKS * WAYS + 6):
        await RisingEdge(dut.clk)
    for _ in range(60):
        if not dut.folding.value:
            break
        await RisingEdge(dut.clk)
    assert not dut.folding.value
    for _ in range(Reduction.SOON * (kind is Reduce.SUM)):
        await RisingEdge(dut.clk)


async def flush(dut):
    """Start a program; returns a new model, and asserts that its scalars are valid."""
    dut.start.value, model = 1, Model()
    await RisingEdge(dut.clk)
    dut.start.value = 0
    for _ in range(Reduction.FLUSHED):
        await RisingEdge(dut.clk)
    assert decode(Scalars, int(dut.scalars.value)) == model.scalars
    return model


COLUMNS = [0] * WAYS


async def show(dut, group):
    """Present each vector element in its cycle; the other columns keep old values."""
    await RisingEdge(dut.clk)
    for column in range(WAYS):
        COLUMNS[column] = group[column] % 65536
        dut.elements.value = sum(value << 16 * n for n, value in enumerate(COLUMNS))
        await RisingEdge(dut.clk)


@cocotb.test
@cocotb.parametrize(gap=[0.0, 0.5])
async def scalars_of_passes(dut, gap):
    """Pass after pass; each pass's scalars are right when the core may use them."""
    rng = random_of(161)
    for name in ("written", "written_final", "start", "written_slot", "elements", "range",
                 "loading"):
        getattr(dut, name).value = 0
    await start(dut)
    model = await flush(dut)
    for number in range(300):
        slot = number % SLOTS
        config, groups = random_pass(rng)
        if config["reduce"] is Reduce.SUM and rng.random() < 0.7:
            groups = [[element if element >= 0 else ~element for element in group]
                      for group in groups]
        await load(dut, slot, config)
        model.take(config, groups)
        if config["reduce"] is Reduce.RANGE:
            await read(dut, config, groups)
            assert decode(Scalars, int(dut.scalars.value)) == model.scalars, (number, config)
            groups = [[32767, -32768, 5, 5][:WAYS]]
        apart = max(Heap.POP, WAYS * Heap.CYCLES) if config["reduce"] in HEAP else 1
        await write(dut, slot, groups, gap, rng, apart)
        for _ in range(2):
            await RisingEdge(dut.clk)
        waits = (Reduce.MAX, Reduce.MIN) if WAYS > 1 else ()
        assert dut.folding.value == (config["reduce"] in (Reduce.SUM, *HEAP, *waits))
        if config["reduce"] in HEAP:
            await count_busy(dut, config["reduce"])
        await settle(dut, config["reduce"])
        scalars = decode(Scalars, int(dut.scalars.value))
        assert scalars == model.scalars, (number, config, groups)
        if rng.random() < 0.05:
            model = await flush(dut)
