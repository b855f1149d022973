# SPDX-License-Identifier: Apache-2.0
"""Amaranth's search for combinational loops in ``quick_elaboration``."""

import pytest
from amaranth import Module, Signal, signed
from amaranth.back import rtlil
from amaranth.hdl import CombinationalCycle, _nir
from amaranth.lib import data

from xymac.hdl.elaboration import quick_elaboration


def selection(fed_back):
    """One of four records chosen; bit ``fed_back`` of it, if any, goes into one of them."""
    m, index, chosen = Module(), Signal(2), Signal(6)
    records = Signal(data.ArrayLayout(signed(6), 4))
    m.d.comb += chosen.eq(records[index])
    if fed_back is not None:
        m.d.comb += records[2][3].eq(chosen[fed_back])
    return m, {"ports": [index, chosen], "emit_src": False}


def test_text_is_the_same():
    m, options = selection(None)
    plain = rtlil.convert(m, **options)
    m, options = selection(None)
    with quick_elaboration():
        quick = rtlil.convert(m, **options)

    assert quick == plain


@pytest.mark.parametrize("bit", range(6))
def test_a_loop_through_any_bit_is_seen(bit):
    m, options = selection(bit)

    with quick_elaboration(), pytest.raises(CombinationalCycle, match="cycle detected"):
        rtlil.convert(m, **options)


def test_each_selection_is_visited_once(monkeypatch):
    visits, edges = [], _nir.Part.comb_edges_to
    monkeypatch.setattr(_nir.Part, "comb_edges_to",
                        lambda cell, bit: visits.append(bit) or edges(cell, bit))
    m, options = selection(None)

    with quick_elaboration():
        rtlil.convert(m, **options)

    assert len(visits) == 1
