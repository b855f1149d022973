# SPDX-License-Identifier: Apache-2.0
"""Separate write ports for X and Y: a DMA writes to a memory while a result goes to the other."""

from amaranth import Cat, Mux, Signal, unsigned
from amaranth.lib import data

from xymac.hdl.arith import delay
from xymac.hdl.isa import BANKS, Memory

from .recall import recall

__all__ = ["WideWrite", "copy_place", "foresee", "write_apart"]


def WideWrite(ways):
    """DMA write of up to ``ways`` adjacent 16-bit words to X or Y, a StructLayout."""
    return data.StructLayout({
        "y": 1, "row": unsigned(12), "bytes": unsigned(2), "way": unsigned(ways),
        "bank": unsigned(BANKS), "column": unsigned(ways), "data": data.ArrayLayout(16, ways)})


def copy_place(write, other):
    """Statements that copy a write's address fields from ``other`` to ``write``."""
    return [write[name].eq(other[name]) for name in ("row", "bytes", "way", "bank", "column")]


def foresee(m, coming, group, cycles):
    """``soon`` of ``write_apart`` from a vector's marks ``cycles + 1`` cycles before its write."""
    keep, slot = (delay(m, group[name], cycles, name=f"next_{name}") for name in ("keep", "slot"))
    config = recall(m, *coming, slot, "memory", "hold", name="next")
    return keep & ~config.hold, config.memory == Memory.Y


def write_apart(m, port, soon, result, result_y, free, host, fill):
    """Drive both write ports of a ``Writeback``; a DMA write has priority over a host write.

    ``ready`` comes out of registers, for timing.

    Parameters
    ----------
    m : Module of ``port``
    port : Writeback with the DMA members
    soon : (strobe, whether it goes to Y), a cycle before any result write, and not only then
    result, result_y : strobe of a result write; whether it goes to Y
    free, host : strobe of an accepted host write; its address, a Write
    fill : function from a Write to statements for the result's address fields
    """
    wide, late = port.wide, delay(m, port.host.p.data, 1, name="late")
    into_x, into_y = result & ~result_y, result & result_y
    taken = Signal(2, name="taken")  # X and Y by results
    m.d.sync += taken.eq(Cat(soon[0] & ~soon[1], soon[0] & soon[1]))
    m.d.comb += wide.ready.eq(~Mux(wide.p.y, taken[1], taken[0]))
    cells = []
    for column, word in enumerate(wide.p.data):
        cell = Signal(16, name=f"word{column}", reset_less=True)
        m.d.sync += cell.eq(Mux(wide.valid, word, late))
        cells.append(delay(m, cell, column, name=f"cell{column}"))
    for name, write, words, comes, moved in (
            ("x", port.write, port.data, into_x, wide.valid & ~wide.p.y & ~taken[0]),
            ("y", port.write_y, port.data_y, into_y, wide.valid & wide.p.y & ~taken[1])):
        m.d.sync += [write.host.eq(~comes), *copy_place(write, host),
                     write[name].eq(comes | moved | (host[name] & free))]
        with m.If(wide.valid):
            m.d.sync += copy_place(write, wide.p)
        with m.If(comes):
            m.d.sync += fill(write)
        from_host = write.host
        for column, cell in enumerate(cells):
            m.d.comb += words[column].eq(Mux(from_host, cell, port.elements[column]))
            from_host = delay(m, from_host, 1, name=f"from_host_{name}{column}")
