# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.writeback: result addresses and order, with host writes between."""

from itertools import accumulate, product

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout

from xymac.hdl.config import SLOTS
from xymac.hdl.core.output import OutputStage
from xymac.hdl.core.writeback import HostWrite, Writeback
from xymac.hdl.core.xmem import Write
from xymac.hdl.isa import BANKS, AguMode, Encoded, Memory, Op, Reduce, Table
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import StreamSource, decode, encode, start

WAYS  = int(cocotb.plusargs["ways"])
UNIT  = Writeback(ways=WAYS)
DRAIN = UNIT.i.payload.shape()
OPEN  = Writeback.DEPTH - OutputStage.LATENCY // BANKS - 2  # most pushed outputs without sums


def random_config(rng):
    """A pass's write configuration, with a window anywhere in its memory."""
    length = rng.choice([200, 1024, 65536])
    window = {"mode": AguMode.LINEAR, "order": (length - 1).bit_length(),
              "low": rng.randrange(65536 - length + 1), "high": length - 1, "last": length - 1}
    return {"map": window, "wide": rng.randrange(2), "stride": rng.choice([1, 1, 40, -9]),
            "looks": rng.randrange(2)}


def place(config, relative):
    """Expected write fields for a vector."""
    index, bank = divmod(config["map"]["low"] + relative, BANKS)
    in_y     = config["memory"] is Memory.Y
    row, way = divmod(index, WAYS) if in_y else (index, None)
    bytes_   = 3 if config["wide"] else 1 << row % 2
    row      = row if config["wide"] else row // 2
    return {"x": int(not in_y), "y": int(in_y), "row": row % 4096, "bank": 1 << bank,
            "bytes": bytes_, "way": way, "column": (1 << WAYS) - 1}


def start_within(rng, config):
    """Relative address for an output with all four beats inside the window."""
    reach = (BANKS - 1) * config["stride"]
    return rng.randint(max(0, -reach), config["map"]["high"] - max(0, reach))


class Monitor:
    """Record the outputs in every cycle; with ``folds`` the reduction is busy in random cycles."""

    def __init__(self, dut, *, folds=False):
        self.dut, self.folds = dut, folds
        self.results, self.host, self.done, self.due = [], [], [], []
        self.history, self.kept, self.soon, self.finals = [], [], [], []
        self.pushes, self.states, self.lasts, self.slots = [], [], [], []
        cocotb.start_soon(self._watch())

    async def _watch(self):
        dut, rng = self.dut, random_of(141)
        while True:
            dut.elements.value = rng.getrandbits(16 * WAYS)
            dut.overflow.value = rng.getrandbits(WAYS) & rng.getrandbits(WAYS) * rng.randrange(2)
            dut.folding.value = int(self.folds and rng.random() < 0.2)
            await RisingEdge(dut.clk)
            self.states.append(tuple(int(port.value) for port in (
                dut.unwritten, dut.in_flight, dut.folding)))
            now = {"write": decode(Write(WAYS), int(dut.write.value)),
                   "elements": decode(UNIT.elements.shape(), int(dut.elements.value)),
                   "data": decode(UNIT.data.shape(), int(dut.data.value))}
            self.history.append(now)
            if dut.i__valid.value:
                self.pushes.append(len(self.history) - 1)
            if dut.written.value:
                self.slots.append(int(dut.written_slot.value))
            if dut.soon.value:
                self.soon.append(len(self.history) - 1)
            if dut.keep.value:
                self.kept.append(len(self.history) - 1)
                self.lasts.append(int(dut.last.value))
                self.due.append(len(self.history) - 1 + OutputStage.LATENCY
                                - OutputStage.SOONER * int(dut.short.value))
            if dut.written.value and dut.written_final.value:
                self.finals.append(len(self.history) - 1)
            if dut.done.value:
                self.done.append(len(self.history))
            if now["write"]["x"] or now["write"]["y"]:
                (self.host if now["write"]["host"] else self.results).append(
                    (len(self.history) - 1, now["write"]))

    def data(self, cycle):
        """Data and offered elements in the ``cycle`` write, each column with its skew."""
        at = [self.history[cycle + column] for column in range(WAYS)]
        return ([now["data"][column] for column, now in enumerate(at)],
                [now["elements"][column] for column, now in enumerate(at)])


async def load(dut, configs):
    """Load each config into the slot with its index."""
    for slot, config in enumerate(configs):
        window = {name: config["map"][name] for name in ("mode", "order", "low", "high")}
        stride = config["stride"]
        op     = Op.MAC if stride == 1 else Op.SPREAD  # the stride of another operation is 1
        pass_  = {"z": window | {"outer": [stride if op is Op.SPREAD else 7]}, "op": op,
                  "z_memory": config["memory"], "z_width": config["wide"],
                  "table": Table.SIGM.value * config["looks"],
                  "reduce": Reduce.MAX.value * config["folds"], "hold": config.get("hold", 0)}
        dut.coming.value, dut.loading.value = encode(Encoded, pass_), 1 << slot
        await RisingEdge(dut.clk)
    dut.loading.value = 0


async def prepare(dut, rng):
    """Start the clock with a config in every slot, to X and Y, with and without a reduction."""
    for name in ("clear", "folding", "loading", "arrives", "i__valid", "host__valid"):
        getattr(dut, name).value = 0
    await start(dut)
    ends    = rng.sample(list(product(Memory, range(2))), SLOTS)
    configs = [random_config(rng) | {"memory": memory, "folds": folds} for memory, folds in ends]
    await load(dut, configs)
    return configs


async def note_pushes(dut, there):
    """Append to ``there`` when a pushed output's sum may arrive; the array takes longer."""
    waiting = [0] * 4
    while True:
        await RisingEdge(dut.clk)
        waiting.append(int(dut.i__valid.value))
        if waiting.pop(0):
            there.append(True)


async def arrive(dut, rng, outputs, pause, there=(), *, over=None):
    """Deliver the pushed outputs' sums later, four banks in sequence; ``over`` counts them."""
    if not there:
        cocotb.start_soon(note_pushes(dut, there := []))
    for number in range(outputs):
        while rng.random() < pause or number >= len(there):
            await RisingEdge(dut.clk)
        dut.arrives.value = 1
        for _ in range(BANKS):
            await RisingEdge(dut.clk)
        dut.arrives.value = 0
        if over is not None:
            over.append(number)


async def settle(dut):
    """Wait until all pushed outputs are written."""
    await ClockCycles(dut.clk, OutputStage.LATENCY + BANKS * WAYS + 8)


def check_results(monitor, wanted):
    """Compare the writes with ``wanted``, and with the elements offered for them."""
    assert len(monitor.results) == len(wanted)
    for (cycle, result), fields in zip(monitor.results, wanted, strict=True):
        if fields["way"] is not None:
            assert result["way"] == 1 << fields["way"]
        for name in ("x", "y", "row", "bank", "bytes", "column"):
            assert result[name] == fields[name], (name, result, fields)
        written, elements = monitor.data(cycle)
        assert written == elements


def check_states(monitor, configs, outputs):
    """Compare ``unwritten`` and ``in_flight`` in every cycle.

    An output is unwritten up to its last write, or to ``Y_SOONER`` cycles before if it goes to Y
    and no reduction follows; a saved output never is. It is in flight for all its banks.
    """
    ends = accumulate(output["beats"] for output in outputs)
    unwritten, in_flight = set(), set()
    for output, push, end in zip(outputs, monitor.pushes, ends, strict=True):
        config, write = configs[output["slot"]], monitor.due[end - 1]
        sooner = config["memory"] is Memory.Y and not config["folds"]
        if not output.get("hold"):
            unwritten |= set(range(push + 1, write + 1 - Writeback.Y_SOONER * sooner))
        in_flight |= set(range(push + 1, write + 1 + BANKS - output["beats"]))
    for cycle, (*states, folding) in enumerate(monitor.states):
        assert states == [int(cycle in unwritten) | folding, int(cycle in in_flight) | folding]


async def push_all(dut, source, outputs, over):
    """Push outputs ``BANKS`` cycles apart, at most ``OPEN`` ahead of the delivered sums."""
    for number, output in enumerate(outputs):
        while number - len(over) >= OPEN:
            await RisingEdge(dut.clk)
        await source.send([output])
        for _ in range(BANKS - 1):
            await RisingEdge(dut.clk)


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5, 0.8])
async def results_and_host_writes(dut, pause):
    """Every kept vector is written to its pass's address; every host write is written once."""
    rng     = random_of(142)
    configs = await prepare(dut, rng)
    monitor = Monitor(dut, folds=True)
    outputs = [{"relative": start_within(rng, configs[slot]), "slot": slot,
                "beats": rng.randint(1, BANKS), "last": int(number == 29)}
               for slot in range(SLOTS) for number in range(30)]
    host    = [{"y": rng.randrange(2), "row": rng.randrange(4096), "way": rng.randrange(WAYS),
                "lane": rng.randrange(BANKS * WAYS), "bytes": rng.randint(1, 3),
                "data": rng.getrandbits(16)} for _ in range(100)]
    writes = cocotb.start_soon(StreamSource(dut, "host", HostWrite, pause=0.5, seed=3).send(host))
    pushes = StreamSource(dut, "i", DRAIN, pause=pause, seed=4)
    cocotb.start_soon(push_all(dut, pushes, outputs, over := []))
    await with_timeout(arrive(dut, rng, len(outputs), pause, over=over), 100, "us")
    await with_timeout(writes, 100, "us")
    monitor.folds = False
    await settle(dut)

    check_results(monitor, [
        place(config, output["relative"] + beat * config["stride"]) for output in outputs
        for config in [configs[output["slot"]]] for beat in range(output["beats"])])
    assert [cycle for cycle, _ in monitor.results] == monitor.due
    check_states(monitor, configs, outputs)
    assert list(zip(monitor.slots, monitor.lasts, strict=True)) == [
        (output["slot"], output["last"]) for output in outputs for _ in range(output["beats"])]
    begins = accumulate((output["beats"] for output in outputs[:-1]), initial=0)
    assert monitor.soon == [monitor.kept[begin] - 1 for begin in begins]
    assert len(monitor.done) == SLOTS
    ends = accumulate(output["beats"] for output in outputs)
    assert monitor.finals == [monitor.results[end - 1][0] - 1 for output, end in zip(
        outputs, ends, strict=True) if output["last"]]
    assert not dut.in_flight.value
    assert not dut.z_fault.value
    assert len(monitor.host) == len(host)
    for (cycle, taken), write in zip(monitor.host, host, strict=True):
        bank, column = divmod(write["lane"], WAYS)
        assert (taken["y"], taken["row"], taken["bytes"]) == (
            write["y"], write["row"], write["bytes"])
        assert (taken["bank"], taken["column"]) == (1 << bank, 1 << column)
        assert not write["y"] or taken["way"] == 1 << write["way"]
        assert monitor.data(cycle)[0][column] == write["data"]


@cocotb.test
async def nothing_after_a_fault(dut):
    """A vector outside the window and all later vectors are dropped until a flush."""
    rng     = random_of(143)
    configs = await prepare(dut, rng)
    length, beats = configs[1]["map"]["high"] + 1, rng.randint(1, BANKS)
    strides = [config["stride"] for config in configs]
    monitor = Monitor(dut)
    inside  = (length - 1 if strides[1] > 0 else 0) if beats > 1 else 40
    outputs = [(0, 40), (1, 50), (1, inside), (1, length), (1, 20), (0, 7)]
    source  = StreamSource(dut, "i", DRAIN)
    cocotb.start_soon(source.send({"relative": relative, "slot": slot, "beats": beats}
                                  for slot, relative in outputs))
    await with_timeout(arrive(dut, rng, len(outputs), 0.0), 100, "us")
    await settle(dut)
    assert dut.z_fault.value
    assert dut.z_slot.value == 1
    wanted  = [place(configs[0], 40 + beat * strides[0]) for beat in range(beats)]
    wanted += [place(configs[1], 50 + beat * strides[1]) for beat in range(beats)]
    wanted += [place(configs[1], inside)]
    check_results(monitor, wanted)

    dut.clear.value = 1
    await RisingEdge(dut.clk)
    dut.clear.value = 0
    await RisingEdge(dut.clk)
    assert not dut.z_fault.value


@cocotb.test
@cocotb.parametrize(gap=[0, 10, 60])
async def short_if_nothing_longer_is_in_flight(dut, gap):
    """Passes without a table bypass it, unless an output with a table is still in flight."""
    rng     = random_of(145)
    configs = await prepare(dut, rng)
    for looks, config in enumerate(configs):
        config["looks"] = looks % 2
    await load(dut, configs)
    monitor, shorts = Monitor(dut), []
    outputs = [{"relative": start_within(rng, configs[slot]), "slot": slot, "beats": BANKS}
               for slot in (0, 0, 1, 0, 0)]
    source, there = StreamSource(dut, "i", DRAIN), []
    cocotb.start_soon(note_pushes(dut, there))
    for output in outputs:
        await source.send([output])
        while not there:
            await RisingEdge(dut.clk)
        there.clear()
        before = len(monitor.due)
        await arrive(dut, rng, 1, 0.0, [True])
        cycle = len(monitor.history) - 1 + OutputStage.LATENCY - monitor.due[before]
        shorts.append(cycle > OutputStage.SOONER)
        for _ in range(gap):
            await RisingEdge(dut.clk)
    await settle(dut)

    assert shorts == [True, True, False, gap == 60, gap == 60]
    assert [cycle for cycle, _ in monitor.results] == monitor.due
    check_results(monitor, [place(configs[output["slot"]], output["relative"] + beat
                                  * configs[output["slot"]]["stride"])
                            for output in outputs for beat in range(BANKS)])
