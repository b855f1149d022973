# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.reduction.Census: random items, against a tree that is often busy."""

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.core.reduction.census import Item, Order
from xymac.hdl.isa import HELD
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

NOTHING = dict.fromkeys(Order.members, 0)


class Model:
    """Heap size and element counts, an item at a time."""

    def __init__(self):
        self.flush()

    def flush(self):
        """Empty the heap, for a single element."""
        self.size = 1
        self._empty()

    def _empty(self):
        self.count = self.number = 0
        self.full = self.stale = self.waited = False

    def take(self, item, ready, early):
        """Offer an item in a cycle; returns whether it is taken, and its order."""
        order = dict(NOTHING)
        anew  = (item["begin"] and not self.waited) or (item["keep"] and self.stale)
        if anew:
            if ready:
                self._empty()
                self.waited = bool(item["keep"])
                if item["begin"]:
                    self.size = item["last"] + 1
            return ready and not item["keep"], order
        self.waited = False
        if item["keep"] and self.full:
            order["rank"] = int(ready or early)
        elif item["keep"] and ready:
            self.count += 1
            self.full = self.count == self.size
            order |= {"fill": 1, "complete": int(self.full)}
        elif item["pop"] and ready:
            self.stale = True
            order["pop"] = int(self.count > 1)
            self.count -= order["pop"]
        if order["rank"] or order["fill"]:
            self.number += 1
        return ready or order["rank"], order


def random_item(rng):
    """An element, perhaps the first of a heap; a new heap without elements; or a pop."""
    kind = rng.choices(["element", "first", "empty", "pop"], [60, 3, 3, 12])[0]
    return {"begin": int(kind in ("first", "empty")), "keep": int(kind in ("element", "first")),
            "pop": int(kind == "pop"), "last": rng.randrange(HELD),
            "value": rng.randint(-32768, 32767)}


def offer(dut, item, ready, early):
    """Drive a cycle's inputs; without an ``item`` the payload is noise."""
    dut.i__valid.value = int(item is not None)
    dut.i__payload.value = encode(Item, item or dict.fromkeys(("begin", "keep", "pop"), 1))
    dut.ready.value, dut.early.value = int(ready), int(early)


@cocotb.test
@cocotb.parametrize(busy=[0.0, 0.6], pause=[0.0, 0.4])
async def orders(dut, busy, pause):
    """Every order, count and place, with flushes at any time; ``busy`` is the tree's."""
    rng, model = random_of(186), Model()
    dut.flush.value, item, places = 1, None, [None, None]  # of the last two cycles
    offer(dut, None, 0, 0)
    await start(dut)
    await RisingEdge(dut.clk)
    for cycle in range(4000):
        if item is None and rng.random() >= pause:
            item = random_item(rng)
        ready = rng.random() >= busy
        early = not ready and rng.random() < 0.3
        flush = rng.random() < 0.01
        offer(dut, item, ready, early)
        dut.flush.value = int(flush)
        await RisingEdge(dut.clk)
        assert dut.count.value == model.count, cycle
        place, expected = model.number, places.pop(0)
        assert expected is None or dut.place.value == expected, cycle
        taken, order = model.take(item, ready, early) if item else (False, NOTHING)
        assert decode(Order, int(dut.order.value)) == order, (cycle, item, ready, early)
        if item is not None:
            assert dut.i__ready.value == taken, (cycle, item, ready, early)
        if order["fill"] or order["pop"]:
            assert dut.next.value == model.count
        places.append(place if not flush and (order["fill"] or order["rank"]) else None)
        if item is None:
            model.waited = False
        if taken:
            item = None
        if flush:
            model.flush()
