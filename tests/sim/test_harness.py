# SPDX-License-Identifier: Apache-2.0
"""The harness around a simulated core: words, memories, interrupt, errors."""

import logging

import numpy as np
import pytest
from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from tests.support.seed import random_of
from xymac.hdl.request import Request, Response
from xymac.sim.build import cache
from xymac.sim.build import compile as build
from xymac.sim.rtl.harness import Harness, SimulationError, build_harness

REFUSED, SILENT = 0x100, 0x200  # address bits the toy core reacts to


class Toy(wiring.Component):
    """32 words behind the core's ports; the interrupt rises ``data`` cycles after a write to 0."""

    request:  In(stream.Signature(Request))
    response: Out(stream.Signature(Response))
    irq:      Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = memory = Memory(shape=32, depth=32, init=[])
        reader, writer = memory.read_port(), memory.write_port(granularity=8)
        request, left = self.request.p, Signal(16)
        refused, asked = request.address[8], Signal()
        m.d.comb += [
            self.request.ready.eq(~asked), reader.en.eq(~asked),
            reader.addr.eq(request.address[2:]), writer.addr.eq(request.address[2:]),
            writer.data.eq(request.data), self.response.p.data.eq(reader.data),
            self.response.valid.eq(asked),
        ]
        with m.If(self.request.valid & self.request.ready & ~request.address[9]):
            m.d.comb += writer.en.eq(request.mask & request.write.replicate(4))
            m.d.sync += [asked.eq(1), self.response.p.error.eq(refused)]
            with m.If(request.write & (request.address == 0)):
                m.d.sync += [left.eq(request.data), self.irq.eq(0)]
        with m.If(asked & self.response.ready):
            m.d.sync += asked.eq(0)
        with m.If(left != 0):
            m.d.sync += [left.eq(left - 1), self.irq.eq(left == 1)]
        return m


@pytest.fixture(scope="module")
def library():
    return build_harness(Toy, ["words"], name="toy")


@pytest.fixture
def toy(library):
    with Harness(library) as harness:
        yield harness


def seen(harness):
    """What a host sees of a toy: a word, and the cycles to the interrupt."""
    harness.write(np.array([4, 0]), [7, 300])
    return harness.read(np.array([4])).tolist(), harness.run(1000)


def test_inputs_of_its_own_make_no_difference(toy):
    with Harness(build_harness(Toy, ["words"], name="toy", direct=True)) as direct:
        assert seen(direct) == seen(toy) == ([7], 300 - 3)


def test_profiled_library_is_made_once_and_says_so(toy, monkeypatch, tmp_path, caplog):
    trained, objects = [], build._runtime(build.find_toolchain(), [], trace=False)

    def train(library):
        with Harness(library) as harness:
            trained.append(seen(harness))

    monkeypatch.delenv("XYMAC_PROFILE")
    monkeypatch.setattr(build, "_runtime", lambda *model, **options: objects)
    monkeypatch.setattr(cache, "build_root", lambda: tmp_path)
    with caplog.at_level(logging.INFO, "xymac.build"):
        libraries = [build_harness(Toy, ["words"], name="toy", train=train) for _ in range(2)]

    monkeypatch.setenv("XYMAC_PROFILE", "no")
    assert build_harness(Toy, ["words"], name="toy", train=train) == libraries[0]
    with Harness(libraries[1]) as profiled:
        assert trained == [seen(profiled)] == [seen(toy)]
    assert [path.name for path in libraries[0].parent.iterdir()] == ["top"]
    assert [record.message for record in caplog.records] == [
        "Compiling the simulation of toy (once, less than a minute)",
        "Running it for a profile, to compile the part that runs every cycle once more"]


def test_a_profile_is_not_made_where_none_is_wanted(toy, monkeypatch):
    monkeypatch.setenv("XYMAC_PROFILE", "no")

    with Harness(build_harness(Toy, ["words"], name="toy", train=pytest.fail)) as plain:
        assert seen(plain) == seen(toy)


def test_words_come_back(toy):
    addresses = 4 * np.arange(1, 32)
    words = random_of(1).integers(0, 1 << 32, 31, dtype=np.uint32)

    toy.write(addresses, words)

    np.testing.assert_array_equal(toy.read(addresses), words)
    np.testing.assert_array_equal(toy.memory("words")[1:], words.view(np.uint16).reshape(-1, 2))


def test_masks_choose_bytes(toy):
    toy.write(4, 0x11223344)
    toy.write(4, 0xAABBCCDD, 0b0101)
    assert toy.read(np.array([4])) == [0x11BB33DD]


def test_memory_is_a_view(toy):
    toy.memory("words")[7] = 0x5678, 0x1234
    assert toy.read(np.array([28])) == [0x12345678]


def test_memory_survives_reset_and_not_a_new_harness(toy, library):
    toy.write(4, 5)
    toy.reset()
    assert toy.read(np.array([4])) == [5]
    with Harness(library) as other:
        assert other.read(np.array([4])) == [0]


def test_runs_to_the_interrupt(toy):
    toy.write(0, 1000)
    assert toy.run(100) == 100
    assert not toy.irq
    assert 800 < toy.run(10_000) < 900
    assert toy.irq
    assert toy.run(10_000) == 0


def test_refused_request(toy):
    with pytest.raises(SimulationError, match=r"^The core refused a request to 0x104$"):
        toy.write(np.array([4, REFUSED + 4, 8]), 0)


def test_unanswered_request(toy):
    with pytest.raises(SimulationError, match=r"^The core did not answer a request to 0x204 "):
        toy.read(np.array([4, SILENT + 4]))


def test_unknown_memory(toy):
    with pytest.raises(KeyError, match=r"no memory of 16 to 256 bits named 'verbs'"):
        toy.memory("verbs")


def test_closed(library):
    harness = Harness(library)
    harness.close()
    harness.close()
    with pytest.raises(ValueError, match=r"^The simulation is closed$"):
        harness.run(1)
