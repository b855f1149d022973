# SPDX-License-Identifier: Apache-2.0
"""Waveform files of a simulated toy, read by wellen, the library of Surfer."""

import errno
from pathlib import Path

import pytest
import pywellen
from amaranth import Module, Signal
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from tests.support.seed import random_of
from xymac.hdl.arith import DelayLine
from xymac.hdl.request import Request, Response
from xymac.host.device.waves import Waves
from xymac.host.errors import InputError
from xymac.sim.build import cocotb, verilator
from xymac.sim.rtl import recorder
from xymac.sim.rtl.harness import Harness, build_harness

RESET = 160  # cycles
CYCLES = 300


class Lamp(enum.Enum, shape=2):
    """Values of a signal."""

    OFF  = 0
    ON   = 1
    LOST = 3


class Toy(wiring.Component):
    """Stores what is written; the words are its lamp and a wide signal."""

    request:  In(stream.Signature(Request))
    response: Out(stream.Signature(Response))
    irq:      Out(1)

    def elaborate(self, platform):
        m = Module()
        word  = Signal(data.StructLayout({"lamp": Lamp, "rest": 30}))
        wide  = Signal(100)
        asked = Signal()
        m.d.comb += [self.request.ready.eq(~asked), self.response.valid.eq(asked)]
        m.d.sync += wide.eq((wide << 7) ^ word.as_value() ^ (wide >> 60))
        with m.If(self.request.valid & self.request.ready):
            m.d.sync += [asked.eq(1), word.eq(self.request.p.data)]
        with m.If(asked & self.response.ready):
            m.d.sync += asked.eq(0)
        return m


@pytest.fixture(scope="module")
def library():
    return build_harness(Toy, [], name="waves-toy", trace=True)


def run(library, path, **options):
    """Write random words; returns the lamp's values, in order, and the number of cycles."""
    random = random_of(38)
    words  = random.integers(0, 1 << 32, 40).tolist()
    with Harness(library, Waves(path, path.suffix[1:], **options)) as harness:
        for word in words:
            harness.write(0, word)
            harness.run(int(random.integers(1, 9)))
        return [word & 3 for word in words], harness.cycles


def changes(path):
    """Changes of all variables in a file: {name: [(time, value)]}."""
    return {each.full_name: list(each.tv) for each in pywellen.Waveform(str(path)).all_vars()}


def test_both_formats_say_the_same(library, tmp_path):
    for suffix in ("fst", "vcd"):
        run(library, tmp_path / f"toy.{suffix}")
    fast, dump = (changes(tmp_path / f"toy.{suffix}") for suffix in ("fst", "vcd"))
    assert fast == dump
    assert len(fast["core.wide"]) > 100
    assert max(value for _, value in fast["core.wide"]) >= 1 << 64


def test_values_read_as_names(library, tmp_path):
    lamps, _ = run(library, tmp_path / "toy.fst")
    found = [value for _, value in changes(tmp_path / "toy.fst")["core.word.lamp"]]
    names = [{0: "OFF", 1: "ON", 3: "LOST"}.get(lamp, str(lamp)) for lamp in (0, *lamps)]
    assert found == [name for place, name in enumerate(names)
                     if not place or names[place - 1] != name]


def test_time_is_that_of_a_clock(library, tmp_path):
    _, cycles = run(library, tmp_path / "toy.fst", period=8_000)
    found = changes(tmp_path / "toy.fst")
    assert found["guide.clk"] == [(4_000 * half, 1 - half % 2) for half in range(2 * cycles)]
    assert found["core.clk"] == found["guide.clk"]
    assert str(pywellen.Waveform(str(tmp_path / "toy.fst")).timescale) == "1ps"


@pytest.mark.parametrize("suffix", ["fst", "vcd"])
def test_window(library, suffix, tmp_path):
    """Values in the window are those of the whole file at the same times."""
    whole, part = tmp_path / f"whole.{suffix}", tmp_path / f"part.{suffix}"
    run(library, whole)
    run(library, part, first=200, cycles=50)
    whole, part = changes(whole), changes(part)
    assert part.keys() == whole.keys()
    for name, own in part.items():
        before = [value for time, value in whole[name] if time <= 2_000_000][-1]
        inside = [each for each in whole[name] if 2_000_000 < each[0] < 2_500_000]
        assert own == [(2_000_000, before), *inside]


@pytest.mark.parametrize("suffix", ["fst", "vcd"])
def test_full_disk(library, suffix, tmp_path):
    path = tmp_path / f"toy.{suffix}"
    path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device") as raised:
        run(library, path)
    assert (raised.value.errno, raised.value.filename) == (errno.ENOSPC, str(path))
    assert Path("/dev/full").is_char_device()


def test_no_such_folder(library, tmp_path):
    with pytest.raises(OSError, match="No such file or directory"):
        run(library, tmp_path / "none" / "toy.vcd")


def test_without_headers_of_zlib(tmp_path, monkeypatch):
    """FST is refused with a sentence; VCD has the same names."""
    monkeypatch.setattr(recorder, "has_header", lambda name: False)
    library = build_harness(Toy, [], name="waves-toy", trace=True)
    with pytest.raises(InputError, match=r"^Waveforms in the format fst need the headers of zlib "
                                         r"\(Debian: apt install zlib1g-dev\); .*toy\.fst with the "
                                         r"suffix \.vcd needs none and has the same names$"):
        run(library, tmp_path / "toy.fst")
    run(library, tmp_path / "toy.vcd")
    assert "core.word.lamp" in changes(tmp_path / "toy.vcd")


def test_benches_write_the_same_in_both_formats(tmp_path, monkeypatch):
    """Benches of cocotb write FST, and a VCD without the headers of zlib."""
    monkeypatch.setattr(cocotb, "build_root", lambda: tmp_path)
    for found in (True, False):
        monkeypatch.setattr(cocotb, "has_header", lambda name, found=found: found)
        cocotb.run_bench(DelayLine(9, 3), bench="xymac.sim.blocks.delay", name="delay_waves",
                         plusargs={"cycles": 3, "stimuli": 38}, waves=True)

    fast, dump = (tmp_path / f"delay_waves.{suffix}" for suffix in ("fst", "vcd"))
    assert changes(fast) == changes(dump)
    assert len(changes(fast)["top.i"]) > 50
    assert str(pywellen.Waveform(str(fast)).timescale) == "1ps"
    assert fast.stat().st_size < dump.stat().st_size / 4


def test_a_bench_without_waves_says_why(tmp_path, monkeypatch):
    simulate = cocotb._simulate

    def full(program, bench, folder, *args, **options):
        (folder / "dump.fst").symlink_to("/dev/full")
        return simulate(program, bench, folder, *args, **options)

    monkeypatch.setattr(cocotb, "_simulate", full)
    with pytest.raises(OSError, match=r"wrote no waves: (?s:.*)No space left on device"):
        cocotb.run_bench(DelayLine(9, 3), bench="xymac.sim.blocks.delay", name="delay_waves",
                         plusargs={"cycles": 3, "stimuli": 38}, waves=True)


def test_headers_that_are_missing():
    assert verilator.has_header("cstdint")
    assert not verilator.has_header("no/such/header.h")


def test_names_of_passes(library, tmp_path):
    """A toy has no passes: nothing of them is written, and naming them does no harm."""
    with Harness(library, Waves(tmp_path / "toy.fst", "fst")) as harness:
        harness.label("layer", ["a layer"])
        harness.run(CYCLES)
    assert not {"guide.layer", "guide.pass"} & changes(tmp_path / "toy.fst").keys()
