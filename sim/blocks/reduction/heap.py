# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.reduction.Heap, with a naive heap: pushes at minimum distance, pops."""

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.core.reduction.heap import Heap, Item
from xymac.hdl.isa import HELD
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import encode, start

ABORT = 3  # cycles after a flush until the last node has moved


class Model:
    """Heap as in the library, with explicit swaps."""

    def __init__(self):
        self.place = 0
        self.begin(1)

    def begin(self, size):
        """Empty the heap; it is built after ``size`` elements."""
        self.size, self.nodes, self.count, self.popped = size, [], 0, False

    def sift(self, root):
        """Swap an element with its smaller child, the left if equal, until no child is smaller."""
        smallest = root
        for child in (2 * root + 1, 2 * root + 2):
            if child < len(self.nodes) and self.nodes[child][0] < self.nodes[smallest][0]:
                smallest = child
        if smallest != root:
            nodes = self.nodes
            nodes[root], nodes[smallest] = nodes[smallest], nodes[root]
            self.sift(smallest)

    def take(self, value):
        """Push an element; after a pop it starts a new heap."""
        if self.popped:
            self.begin(self.size)
        if len(self.nodes) < self.size:
            self.nodes.append((value, self.count))
            if len(self.nodes) == self.size:
                for root in reversed(range(self.size // 2)):
                    self.sift(root)
        elif value >= self.nodes[0][0]:
            self.nodes[0] = value, self.count
            self.sift(0)
        self.count = (self.count + 1) % 65536
        self.place = self.nodes[0][1]

    def pop(self):
        """Remove the root, unless it is the only element."""
        self.popped = True
        if len(self.nodes) > 1:
            self.nodes[0] = self.nodes.pop()
            self.sift(0)
        if self.nodes:
            self.place = self.nodes[0][1]


def elements(rng, count):
    """Random values: many equal values, sorted values, or extreme values among them."""
    if count > 2 * HELD and rng.random() < 0.5:
        return down_the_left(rng, count)
    top    = rng.choice([1, 2, 5, 32768])
    values = [rng.choice([-32768, 32767]) if top == 32768 and rng.random() < 0.1
              else rng.randrange(-top, top) for _ in range(count)]
    return rng.choice([list, sorted, lambda some: sorted(some, reverse=True)])(values)


def down_the_left(rng, count):
    """Values that each sink to the last node in a heap with ``HELD`` elements.

    Each value is larger than all elements on the left edge, and smaller than all other elements.
    """
    left = [0, 1, 3, 7, 15]
    return [-32768 if at in left else 32767 for at in range(HELD)] + sorted(
        rng.randrange(-32768, 32767) for _ in range(count - HELD))


async def check_busy(dut):
    """``busy`` rises in the cycle after an item and no other, and is 0 after a reset."""
    sent = before = 0
    while True:
        await RisingEdge(dut.clk)
        busy = int(dut.busy.value)
        assert busy or not sent, "The heap is not busy after an item"
        assert sent or before or not busy, "The heap is busy without an item"
        sent, before = int(dut.valid.value), busy


async def begin(dut):
    """Reset, with all inputs 0; from then on ``busy`` is checked in every cycle."""
    dut.valid.value = dut.flush.value = dut.item.value = 0
    await start(dut)
    cocotb.start_soon(check_busy(dut))


async def send(dut, apart, **fields):
    """Send an item, then idle for the rest of ``apart`` cycles."""
    item = {"begin": 0, "keep": 0, "pop": 0, "last": 0, "value": 0} | fields
    dut.item.value, dut.valid.value = encode(Item, item), 1
    await RisingEdge(dut.clk)
    dut.valid.value = 0
    for _ in range(apart - 1):
        await RisingEdge(dut.clk)


async def rest(dut):
    """Wait until the heap is idle, within a bounded time."""
    for _ in range(50):
        await RisingEdge(dut.clk)
        if not dut.busy.value:
            return
    raise AssertionError("The heap is busy for too long")


async def flush(dut):
    """Start a program; returns a new model."""
    dut.flush.value = 1
    await RisingEdge(dut.clk)
    dut.flush.value = 0
    await RisingEdge(dut.clk)
    return Model()


@cocotb.test
@cocotb.parametrize(wait=[False, True])
async def ranks_and_pops(dut, wait):
    """Heap after heap; without ``wait`` the next heap starts while the last still works."""
    rng, model = random_of(181), Model()
    await begin(dut)
    for number in range(200):
        size   = 1 + number % HELD
        values = elements(rng, rng.choice([0, 1, size - 1, size, size + 1,
                                          size + rng.randrange(60)]))
        fresh  = number == 0 or not values or rng.random() < 0.8
        if fresh:
            model.begin(size)
        if not values:
            await send(dut, Heap.CYCLES, begin=1, last=size - 1)
        for index, value in enumerate(values):
            model.take(value)
            await send(dut, Heap.CYCLES, begin=int(fresh and index == 0), last=size - 1, keep=1,
                       value=value)
        if wait:
            await rest(dut)
            assert dut.place.value == model.place, (number, values)
        for _ in range(rng.choice([0, 1, model.size, model.size + 1])):
            model.pop()
            await send(dut, rng.choice([Heap.POP, 4 + Heap.CYCLES]), pop=1)
            if wait:
                await rest(dut)
                assert dut.place.value == model.place, (number, values)
        if rng.random() < 0.05:
            model = await flush(dut)
    await rest(dut)
    assert dut.place.value == model.place


async def work(dut, rng, size, pops, late):
    """Fill a heap of ``size`` elements and pop some; return ``late`` cycles after the last item."""
    count = size + rng.choice([0, 1, 9])
    for index in range(count):
        await send(dut, Heap.CYCLES if pops or index < count - 1 else 1, begin=int(index == 0),
                   last=size - 1, keep=1, value=rng.randrange(-9, 9))
    for index in range(pops):
        await send(dut, Heap.POP if index < pops - 1 else 1, pop=1)
    for _ in range(late):
        await RisingEdge(dut.clk)


async def check_pops(dut, model, count):
    """Pop ``count`` elements, and compare the place of each root."""
    for _ in range(count):
        await rest(dut)
        assert dut.place.value == model.place
        model.pop()
        await send(dut, Heap.POP, pop=1)
    await rest(dut)


@cocotb.test
@cocotb.parametrize(fresh=[0, 1])
async def begins_anew_in_every_state(dut, fresh):
    """A flush at any distance from the last push or pop; the next heap yields all its elements.

    Without ``fresh`` it has a single element.
    """
    rng = random_of(182)
    await begin(dut)
    for late in range(48):
        size = rng.choice([HELD, 1 + late % HELD])
        await work(dut, rng, size, late % 3 if late > 3 else 0, late)
        model = await flush(dut)
        assert dut.place.value == 0
        if fresh:
            model.begin(size)
        for index, value in enumerate(elements(rng, size + rng.randrange(5))):
            model.take(value)
            await send(dut, Heap.CYCLES, begin=int(fresh and index == 0), last=size - 1, keep=1,
                       value=value)
        await check_pops(dut, model, size)


@cocotb.test
async def begins_without_elements(dut):
    """Heaps without elements in the queue, while an earlier heap is built; the next is whole."""
    rng, model = random_of(185), Model()
    await begin(dut)
    for number in range(4 * HELD):
        for index in range(HELD):
            await send(dut, Heap.CYCLES, begin=int(index == 0), last=HELD - 1, keep=1,
                       value=rng.randrange(-9, 9))
        for _ in range(rng.choice([1, 2])):
            await send(dut, Heap.CYCLES, begin=1, last=rng.randrange(HELD))
        size = 1 + number % HELD
        model.begin(size)
        for index, value in enumerate(elements(rng, size + rng.randrange(3))):
            model.take(value)
            await send(dut, Heap.CYCLES, begin=int(index == 0), last=size - 1, keep=1, value=value)
        await check_pops(dut, model, size)


@cocotb.test
async def a_flush_aborts_orders(dut):
    """``busy`` falls at most ``ABORT`` cycles after a flush, at any distance from the last item."""
    rng = random_of(184)
    await begin(dut)
    for late in range(48):
        for pops in (0, 1, 3):
            await work(dut, rng, rng.choice([2, HELD // 2, HELD]), pops, late)
            await flush(dut)
            for _ in range(ABORT):
                await RisingEdge(dut.clk)
            for _ in range(4 * Heap.POP):
                assert not dut.busy.value, (late, pops)
                assert dut.place.value == 0
                await RisingEdge(dut.clk)


@cocotb.test
async def keeps_up(dut):
    """Push vectors of two and four columns at full rate, heap after heap at minimum distance.

    The place at the root would reveal a lost element.
    """
    rng, model = random_of(183), Model()
    await begin(dut)
    for number in range(240):
        size   = [HELD, 1 + number // 2 % HELD][number % 2]
        gaps   = rng.choice([[3], [1, 5], [3, 4, 4, 1]])
        values = elements(rng, size + rng.choice([0, 1, 3, 60 * (1 - number % 2)]))
        model.begin(size)
        for index, value in enumerate(values):
            model.take(value)
            await send(dut, gaps[index % len(gaps)], begin=int(index == 0), last=size - 1, keep=1,
                       value=value)
        for _ in range(max(0, 16 - 3 * len(values))):
            await RisingEdge(dut.clk)
        if number % 2:
            for _ in range(rng.randrange(size)):
                model.pop()
                await send(dut, Heap.POP, pop=1)
            await rest(dut)
            assert dut.place.value == model.place, number
