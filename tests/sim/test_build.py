# SPDX-License-Identifier: Apache-2.0
"""Compiled simulators: what is built when, once, and where it is kept."""

import errno
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import pytest
from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.sim.build import cache
from xymac.sim.build import compile as build
from xymac.sim.build.cache import cached
from xymac.sim.build.compile import compile_model, verilog_of
from xymac.sim.build.verilator import ToolError


class Register(wiring.Component):
    """A register behind a stream that is always ready."""

    i: In(stream.Signature(4, always_ready=True))
    o: Out(4)

    def elaborate(self, platform):
        m = Module()
        with m.If(self.i.valid):
            m.d.sync += self.o.eq(self.i.payload)
        return m


@pytest.fixture
def root(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "build_root", lambda: tmp_path)
    return tmp_path


def folders(root):
    return sorted(path for path in root.iterdir() if path.is_dir())


def test_constant_ready_is_no_port():
    text = verilog_of(Register())
    assert "i__valid" in text
    assert "i__payload" in text
    assert "i__ready" not in text


class Counter(wiring.Component):
    """A counter of ``width`` bits."""

    def __init__(self, width):
        super().__init__({"o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.o.eq(self.o + 1)
        return m


def test_the_same_hardware_is_translated_once(root, monkeypatch):
    texts, translate = [], build.verilog._convert_rtlil_text
    monkeypatch.setattr(build.verilog, "_convert_rtlil_text",
                        lambda text: texts.append(text) or translate(text))

    first, again, wider = map(verilog_of, map(Counter, (4, 4, 5)))

    assert first == again
    assert "output [3:0] o" in first
    assert "output [4:0] o" in wider
    assert len(texts) == 2


def test_same_content_is_built_once(root):
    made = []

    def make(folder):
        made.append(folder)
        (folder / "file").write_text("content")

    first  = cached("thing", ["a", b"bc"], make)
    second = cached("thing", ["a", b"bc"], make)
    third  = cached("thing", ["ab", b"c"], make)

    assert first == second != third
    assert len(made) == 2
    assert (first / "file").read_text() == "content"
    assert folders(root) == sorted([first, third])


def test_failed_build_leaves_nothing(root):
    def make(folder):
        (folder / "half").write_text("")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cached("thing", ["a"], make)
    assert not folders(root)


@pytest.mark.parametrize("error", [
    OSError(errno.ENOSPC, "No space left on device"),
    ToolError("as failed with code 1:\nfast.o: No space left on device")])
def test_full_disk_is_named(error, root):
    def make(folder):
        raise error

    with pytest.raises(OSError, match=r"No space left on device") as raised:
        cached("thing", ["a"], make)
    assert (raised.value.errno, raised.value.filename) == (errno.ENOSPC, str(root))
    assert not folders(root)


def test_other_errors_stay_what_they_are(root):
    def make(folder):
        (folder / "none" / "file").write_text("")

    with pytest.raises(FileNotFoundError, match=r"none/file"):
        cached("thing", ["a"], make)


def test_folder_that_cannot_be_made_is_named(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(cache, "build_root", lambda: tmp_path / "file" / "build")
    with pytest.raises(NotADirectoryError, match=r"file/build"):
        cached("thing", ["a"], None)


def test_who_asks_for_a_build_that_is_made_waits_for_it(root):
    started, made = Event(), []

    def make(folder):
        made.append(folder)
        started.set()
        sleep(0.2)
        (folder / "file").write_text("whole")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cached, "thing", ["a"], make)
        started.wait()
        second = cached("thing", ["a"], make)

    assert first.result() == second
    assert (second / "file").read_text() == "whole"
    assert len(made) == 1


def test_unused_signal_stays_a_port():
    class Deaf(wiring.Component):
        ignored: In(3)
        o:       Out(3)

        def elaborate(self, platform):
            m = Module()
            m.d.sync += Signal(3).eq(1)
            return m

    assert "input [2:0] ignored" in verilog_of(Deaf())


def test_another_header_is_another_build(monkeypatch, tmp_path):
    asked, main = [], tmp_path / "main.cpp"
    monkeypatch.setattr(build, "cached", lambda name, parts, make: asked.append(
        (name, parts)) or tmp_path)
    main.write_text('#include "own.h"\n')
    for value in (1, 2, 2):
        (tmp_path / "own.h").write_text(f"int value = {value};\n")
        compile_model("module top; endmodule", main=main, name="thing")

    first, second, third = [parts for name, parts in asked if name == "thing"]

    assert first != second == third
