# SPDX-License-Identifier: Apache-2.0
"""The decoder of command lists passes on the commands that golden accepts, and no others."""

from itertools import product

import numpy as np
import pytest
from amaranth import ResetInserter, Signal
from amaranth.sim import Simulator

from tests.support.seed import random_of
from xymac.golden.machine.machine import Machine
from xymac.golden.machine.regions import Regions
from xymac.hdl.config import find_size
from xymac.hdl.dma.decode import Decode
from xymac.hdl.isa import Command, ListStatus, Opcode, Region

BASE, SIZE = 0x7FC0, 0x6000
X, Y  = Region.X.value, Region.Y.value
LISTS = 60
_LONGEST = 3000  # cycles of a list
_FIELDS  = ("offset", "core", "last", "reach", "rows", "stride", "core_stride")


def random_words(rng, config, seen):
    """Words of a command, of which some are wrong."""
    kind = Opcode(int(rng.choice([1, 2, 3, 4])))
    if kind is Opcode.RUN:
        words = [3, 0, int(rng.choice([0, 1, config.passes - 1, config.passes, 1 << 20])),
                 *rng.integers(0, 1 << 32, 5).tolist()]
    else:
        region = X if kind is Opcode.STORE else int(rng.choice([X, Y, 0x10000, 0x30000]))
        unit   = 2 if region in (X, Y) else 4
        size   = unit * int(rng.integers(1, 20))
        end    = config.x_bytes if region == X else 4096
        words  = [kind.value, 0, int(rng.choice([0, 5, 0x1000, 0x5F00, SIZE - 1, SIZE - size])),
                  region + unit * int(rng.choice([0, 1, 300, 700, end // unit - 1])), size,
                  int(rng.choice([1, 1, 2, 5, 17, 400])),
                  int(rng.choice([size, size, 0, -size, 3, 100, -77, 1 << 27])),
                  unit * int(rng.choice([-30, -1, 0, 1, 10, 40, 1 << 19]))]
        if rng.random() < 0.4:  # dense, and inside
            words[5], words[6], words[7] = int(rng.integers(1, 4)), size, 64
            words[2:4] = int(rng.choice([0, 5, 0x1000])), region + 4 * int(rng.integers(0, 8))
        if rng.random() < 0.1:
            words[3] = int(rng.integers(1 << 23))
    more = rng.random(2) < 0.1
    runs, moves = (int(rng.choice([0, count]) + extra) for count, extra in zip(
        seen, more, strict=True))
    words[1] = runs | moves << 16
    if rng.random() < 0.15:
        words[int(rng.integers(8))] ^= 1 << int(rng.integers(32))
    return [word % (1 << 32) for word in words]


def judge(words, config, regions, seen):
    """(Status of a command, the Command or None)."""
    try:
        command = Command.decode(words)
    except ValueError:
        return ListStatus.ILLEGAL, None
    if command.runs > seen[0] or command.moves > seen[1]:
        return ListStatus.ILLEGAL, None
    if command.opcode is Opcode.RUN:
        return (ListStatus.OK if command.offset < config.passes else ListStatus.OUTSIDE), command
    if command.opcode is Opcode.END:
        return ListStatus.OK, command
    found = regions.find(command.core)
    if found is None or (command.opcode is Opcode.STORE and found[0] is not Region.X):
        return ListStatus.OUTSIDE, None
    spaces = [(found[1], command.core_stride, len(regions.bytes_of(found[0])))]
    if command.opcode is not Opcode.FILL:
        spaces.append((command.offset, command.stride, SIZE))
    for first, stride, size in spaces:
        ends = first, first + (command.rows - 1) * stride
        if min(ends) < 0 or max(ends) + command.row_bytes > size:
            return ListStatus.OUTSIDE, None
    return ListStatus.OK, command


def expected(words, config, regions):
    """(Status, entry, what is passed on) of a list."""
    seen, passed = [0, 0], []
    for entry, each in enumerate(words):
        status, command = judge(each, config, regions, seen)
        if status is not ListStatus.OK or command.opcode is Opcode.END:
            return status, entry, passed
        seen[command.is_move] += 1
        if not command.is_move:
            passed.append((entry, command.moves, command.offset))
            continue
        dense = command.opcode is Opcode.LOAD and command.stride == command.row_bytes
        passed.append((entry, command.runs, (
            command.opcode is Opcode.STORE, command.opcode is Opcode.FILL, command.narrow, dense,
            (BASE + command.offset) % (1 << 32), command.core,
            command.row_bytes - 1, command.row_bytes * (command.rows if dense else 1) - 1,
            command.rows - 1, command.stride % (1 << 32), command.core_stride)))
    raise AssertionError("the list has no END")


def record(ctx, stream):
    """What a stream offers."""
    order = (ctx.get(stream.p.order.entry), ctx.get(stream.p.order.others))
    if hasattr(stream.p, "first"):
        return (*order, ctx.get(stream.p.first))
    flags = (bool(ctx.get(getattr(stream.p, name)))
             for name in ("store", "fill", "narrow", "dense"))
    return (*order, (*flags, *(ctx.get(getattr(stream.p, name)) for name in _FIELDS)))


async def decode(ctx, decoder, content, width, rng, start=BASE):
    """Let the decoder run a list, bytes from an address on: (status, entry, what it has passed on).
    """
    passed, beats, taken = [], [], (decoder.runs, decoder.moves)
    ctx.set(decoder.asks.ready, 1)
    for _ in range(_LONGEST):
        if ctx.get(decoder.ended):
            passed += [record(ctx, stream) for stream in taken if ctx.get(stream.valid)]
            return (ListStatus(ctx.get(decoder.end)), ctx.get(decoder.entry),
                    sorted(passed, key=lambda each: each[0]))
        comes = bool(beats) and rng.random() < 0.7
        ctx.set(decoder.beats.valid, comes)
        ctx.set(decoder.beats.p, beats.pop(0) if comes else 0)
        if ctx.get(decoder.asks.valid):
            first = ctx.get(decoder.asks.p.burst.address) - start
            size  = (ctx.get(decoder.asks.p.burst.beats) + 1) * width // 8
            beats = [int.from_bytes(content[at:at + width // 8], "little")
                     for at in range(first, first + size, width // 8)]
            assert (size, first % 32) == (32, 0)
            assert 0 <= first < len(content)
        for stream in taken:
            ready = rng.random() < 0.5
            ctx.set(stream.ready, ready)
            if ready and ctx.get(stream.valid):
                passed.append(record(ctx, stream))
        await ctx.tick()
    raise AssertionError("the list does not end")


def simulate(component, bench):
    """Simulate a component with the coroutine function ``bench``."""
    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def decoder_of(config):
    """The Decode of a CoreConfig."""
    return Decode(width=config.dma, ways=config.ways, x_rows=config.x_rows, y_rows=config.y_rows,
                  passes=config.passes)


@pytest.mark.parametrize("size", ["tiny,dma=32", "small,dma=64", "base,dma=128"])
def test_random_lists(size):
    config, rng = find_size(size), random_of(17)
    regions = Regions(Machine(config))
    decoder = decoder_of(config)
    restart, ends, dense = Signal(), [], 0

    async def bench(ctx):
        nonlocal dense
        for number in range(LISTS):
            first = int(rng.choice([0, 1, 2, 77, 500]))
            ctx.set(decoder.image, {"base": BASE, "size": SIZE, "list": first})
            words, seen = [], [0, 0]
            if number % 8 == 0:  # a dense load, whatever is drawn behind it
                words.append([Opcode.LOAD.value, 0, 0x1000, X, 8, 2, 8, 64])
                seen[1] = 1
            for _ in range(int(rng.integers(1, 5))):
                words.append(random_words(rng, config, seen))
                seen[words[-1][0] != Opcode.RUN.value] += 1
            words.append([0] * 8)
            content = np.array(words, "<u4").tobytes()
            ctx.set(restart, 1)
            await ctx.tick()
            ctx.set(restart, 0)
            found = await decode(ctx, decoder, content, config.dma, rng, BASE + 32 * first)
            assert found == expected(words, config, regions), [list(map(hex, each))
                                                               for each in words]
            ends.append(found[0])
            dense += sum(move[3] for *_, move in found[2] if isinstance(move, tuple))

    simulate(ResetInserter(restart)(decoder), bench)
    assert {*ends} == {ListStatus.OK, ListStatus.ILLEGAL, ListStatus.OUTSIDE}
    assert dense > 3


#: Bases of an image, its sizes, and numbers of its first command in 32 bytes.
_BASES = 0, 64, BASE & ~63, (1 << 32) - 128, (1 << 32) - 64
_SIZES = 0, 1, 31, 32, 63, 64, 65, 95, 96, 97, 127, 128, 129, 1 << 31, (1 << 32) - 64, (1 << 32) - 1
_FIRST = 0, 1, 2, 3, 4, 1 << 26, (1 << 27) - 3, (1 << 27) - 1


def end_of(base, size, first, count):
    """(Status, entry) of a list with ``count`` commands and an END in an image."""
    for entry in range(count + 1):
        if base + size > 1 << 32 or 32 * (first + entry + 1) > size:
            return ListStatus.OUTSIDE, entry
    return ListStatus.OK, count


def test_the_ends_of_an_image():
    """A command is read if it lies in the image, and the image within 32-bit addresses."""
    config, rng = find_size("tiny,dma=32"), random_of(19)
    decoder, restart, ends = decoder_of(config), Signal(), set()
    fill    = Command(Opcode.FILL, core=X, row_bytes=2, rows=1).encode()
    content = np.array([fill, fill, [0] * 8], "<u4").tobytes()

    async def bench(ctx):
        for base, size, first in product(_BASES, _SIZES, _FIRST):
            ctx.set(decoder.image, {"base": base >> 6 << 6, "size": size, "list": first})
            ctx.set(restart, 1)
            await ctx.tick()
            ctx.set(restart, 0)
            *found, _ = await decode(ctx, decoder, content, config.dma, rng, base + 32 * first)
            assert (*found,) == end_of(base, size, first, 2), (base, size, first)
            ends.add((*found,))

    simulate(ResetInserter(restart)(decoder), bench)
    assert ends == {(ListStatus.OK, 2), *((ListStatus.OUTSIDE, entry) for entry in range(3))}
