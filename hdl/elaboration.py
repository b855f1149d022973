"""Amaranth's elaboration in a third of the time."""

import contextlib
import gc

from amaranth.hdl import _nir  # Not exported, and pinned: see pyproject.toml.

__all__ = ["quick_elaboration"]


@contextlib.contextmanager
def quick_elaboration():
    """Convert components quickly; the result, and the refusal of a loop, are Amaranth's own.

    Amaranth looks for combinational loops bit by bit, and every bit of ``Array[index]`` depends on
    all bits of all elements: one of four records of a thousand bits makes four million steps. Once
    all of them were visited from one bit without a loop, no other bit is in a loop through them.
    The collector of garbage, which has none to collect, looks through millions of nets.
    """
    edges, visited, collecting = _nir.Part.comb_edges_to, {}, gc.isenabled()

    def _edges_once(cell, bit):
        if id(cell) not in visited:
            yield from edges(cell, bit)
            visited[id(cell)] = cell  # which keeps the number from being given to another

    _nir.Part.comb_edges_to = _edges_once
    gc.disable()
    try:
        yield
    finally:
        _nir.Part.comb_edges_to = edges
        if collecting:
            gc.enable()
