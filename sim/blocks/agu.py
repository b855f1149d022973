# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.agu: address map and tap loops, against xymac.hdl.isa."""

from itertools import product

import cocotb
from cocotb.triggers import RisingEdge, with_timeout

from xymac.hdl.config import SLOTS
from xymac.hdl.core.agu import Job, Tap
from xymac.hdl.isa import ADDRESS_BITS, AguMode, Encoded
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import StreamSink, StreamSource, encode, start

_SPAN = 1 << 10  # more than the taps of a job move an address
#: Start addresses far outside every window, up to the ends of their range.
FAR = [1 << ADDRESS_BITS - 3, (1 << ADDRESS_BITS - 2) - 1, 1 << ADDRESS_BITS - 2,
       (1 << ADDRESS_BITS - 1) - _SPAN]


def map_address(config, relative):
    """Map a relative address to an address; None outside the window."""
    length = config["high"] + 1
    if config["mode"] is AguMode.MODULO:
        relative += length * (relative < 0) - length * (relative >= length)
    if not 0 <= relative <= config["last"]:
        return None
    if config["mode"] is AguMode.BIT_REVERSED:
        bits = config["order"]
        relative = int(f"{relative:0{bits}b}"[::-1], 2) if bits else 0
    return config["low"] + relative


def random_config(rng):
    """A random window and mode, sometimes with maximum size."""
    mode = rng.choice(list(AguMode))
    bits = rng.choice([0, 1, 2, 3, 4, 5, 8, 13, 16])
    length = 1 << bits if mode is AguMode.BIT_REVERSED else rng.choice([1, 2, 7, 100, 5000, 65536])
    order  = (length - 1).bit_length()
    span   = 0 if mode is AguMode.BIT_REVERSED else rng.randrange(min(length, 4))
    low    = rng.randrange(65537 - length) if length < 65537 else 0
    return {"mode": mode, "order": order, "low": min(low, 65535), "high": length - 1,
            "last": length - 1 - span}


def random_job(rng, configs, slot):
    """A job with a few taps, starting at, near or outside its windows' ends."""
    starts = []
    for config in configs:
        top = config["high"]
        starts.append(rng.choice([0, top, top // 2, -1, top + 1, rng.randint(-3, top + 3),
                                  rng.choice(FAR), -rng.choice(FAR)]))
    return {"start": starts, "slot": slot,
            "counts": [rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 2, 4]), rng.randint(1, 5)]}


def random_strides(rng):
    """Tap strides for an operand."""
    return [rng.choice([0, 1, -1, 2, 3, -5, 40]) for _ in range(3)]


def expect(configs, strides, job):
    """Taps in a job in order: both operands' addresses, and a mark at the last tap."""
    taps = list(product(*map(range, job["counts"])))
    for index, tap in enumerate(taps):
        addresses = [
            map_address(config, start + sum(stride * at for stride, at in
                                            zip(each, tap, strict=True)))
            for config, start, each in zip(configs, job["start"], strides, strict=True)]
        yield addresses, int(index == len(taps) - 1)


async def load(dut, configs, strides, slot):
    """Load both operands' map fields and strides for a pass into a slot."""
    pass_ = {name: {"agu": {field: config[field] for field in ("mode", "order", "low", "high")},
                    "last": config["last"], "taps": each}
             for name, config, each in zip("xy", configs, strides, strict=True)}
    dut.coming.value, dut.loading.value = encode(Encoded, pass_), 1 << slot
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.loading.value = 0


async def connect(dut, pause):
    """Start the clock; returns a job source and a tap sink."""
    dut.flush.value = dut.loading.value = 0
    await start(dut)
    return (StreamSource(dut, "i", Job, pause=pause, seed=1),
            StreamSink(dut, "o", Tap, pause=pause, seed=2))


def check(answers, wanted, note):
    """Compare ``answers`` with ``wanted``; None is an address outside its window."""
    assert len(answers) == len(wanted)
    for tap, (addresses, last) in zip(answers, wanted, strict=True):
        assert tap["last"] == last, (tap, note)
        for name, address in zip("xy", addresses, strict=True):
            assert tap[name]["bad"] == (address is None), (tap, address, note)
            assert address is None or tap[name]["address"] == address, (tap, address, note)


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5, 0.8])
async def matches_loops(dut, pause):
    """Run consecutive jobs from a pass in every slot."""
    rng = random_of(51)
    source, sink = await connect(dut, pause)
    for _ in range(60):
        configs = [[random_config(rng) for _ in "xy"] for _ in range(SLOTS)]
        for _, y in configs:
            y["last"] = y["high"]
        strides = [[random_strides(rng) for _ in "xy"] for _ in range(SLOTS)]
        for slot, config in enumerate(configs):
            await load(dut, config, strides[slot], slot)
        jobs = [random_job(rng, configs[slot], slot) for slot in range(SLOTS) for _ in range(3)]
        wanted = [step for job in jobs
                  for step in expect(configs[job["slot"]], strides[job["slot"]], job)]
        task = cocotb.start_soon(source.send(jobs))
        answers = await with_timeout(sink.receive(len(wanted)), 100, "us")
        await task
        check(answers, wanted, (configs, strides, jobs))


@cocotb.test
@cocotb.parametrize(counts=[[1, 1, 4], [1, 4, 1], [4, 1, 1], [2, 2, 1], [2, 1, 2], [1, 2, 2]])
async def one_address_a_cycle(dut, counts):
    """Jobs with four taps run without a gap, for all loop counts."""
    source, sink = await connect(dut, 0.0)
    config = {"mode": AguMode.LINEAR, "order": 8, "low": 0, "high": 255, "last": 255}
    await load(dut, [config, config], [[1, 1, 1], [0, 0, 0]], 0)
    jobs = [{"start": [4 * index, 0], "counts": counts} for index in range(20)]
    cocotb.start_soon(source.send(jobs))
    await sink.receive(1)
    dut.o__ready.value = 1
    gaps = 0
    for _ in range(79):
        await RisingEdge(dut.clk)
        gaps += not dut.o__valid.value
    assert gaps == 0


@cocotb.test
async def flush_forgets(dut):
    """After a flush in the middle only new jobs come out, and a full queue keeps all their taps.
    """
    source, sink = await connect(dut, 0.0)
    configs = [{"mode": AguMode.LINEAR, "order": 8, "low": low, "high": 255, "last": 255}
               for low in (7, 9)]
    strides = [[0, 0, 1], [0, 0, 2]]
    await load(dut, configs, strides, 0)
    for cycles in range(1, 25):
        job  = {"start": [100, 50], "counts": [2, 1, 9]}
        task = cocotb.start_soon(source.send([job, job]))
        dut.o__ready.value = 1
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        task.cancel()
        dut.i__valid.value, dut.flush.value = 0, 1
        await RisingEdge(dut.clk)
        dut.flush.value = dut.o__ready.value = 0
        new = {"start": [cycles, 0], "counts": [1, 1, 40]}
        await source.send([new])
        for _ in range(50):
            await RisingEdge(dut.clk)
        check(await sink.receive(40), list(expect(configs, strides, new)), cycles)
