# SPDX-License-Identifier: Apache-2.0
"""RTLIL as yosys gets it: reads that never meet a write, and the blocks of a design."""

import re

import pytest
from amaranth import Elaboratable, Module, Signal
from amaranth.back import rtlil
from amaranth.lib.memory import Memory

from xymac.boards.tools.rtlil import blocks_of, rtlil_of


class Memories(Elaboratable):
    """Two memories with two write ports and a read port each; one of them has the attribute."""

    def __init__(self):
        self.o = Signal(16)

    def elaborate(self, platform):
        m = Module()
        for number, attributes in enumerate(({}, {"no_rw_check": 1})):
            memory = Memory(shape=8, depth=16, init=[], attrs=attributes)
            m.submodules[f"block_{number}"] = inner = Module()
            inner.submodules[f"kept_{number}"] = memory
            for port in (memory.write_port(), memory.write_port()):
                inner.d.sync += [port.addr.eq(port.addr + 1), port.data.eq(3), port.en.eq(1)]
            m.d.comb += self.o.word_select(number, 8).eq(memory.read_port().data)
        return m


@pytest.fixture(scope="module")
def texts():
    """What Amaranth makes, and what yosys gets."""
    top = Memories()
    return (rtlil.convert(top, name="top", ports=[top.o], emit_src=False),
            rtlil_of(top, "top", ports=[top.o]))


def masks(text):
    return sorted(re.findall(r'\\MEMID "\\\\(\w+)".*?\\COLLISION_X_MASK (\S+)', text, re.DOTALL))


def test_only_memories_with_the_attribute_are_relaxed(texts):
    before, after = map(masks, texts)

    assert [mask for _, mask in before] == ["2'00", "2'00"]
    assert after == [("kept_0", "2'00"), ("kept_1", "2'11")]


def test_nothing_else_changes(texts):
    changed = [new.split() for old, new in
               zip(*(text.splitlines() for text in texts), strict=True) if old != new]

    assert changed == [["parameter", "\\COLLISION_X_MASK", "2'11"]]


def test_blocks_of_a_design():
    source = ("module \\top\nend\nmodule \\top.array\nend\nmodule \\top.array.x$103\nend\n"
              "module \\other.array\nend\n")

    assert blocks_of(source, "top") == {"array", "array.x"}
