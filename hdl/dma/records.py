# SPDX-License-Identifier: Apache-2.0
"""Values exchanged between the DMA parts."""

from amaranth import signed
from amaranth.lib import data
from amaranth.utils import exact_log2

from xymac.hdl.limits import PASSES_MAX

__all__ = ["ADDRESS", "BEATS_MAX", "CORE", "SIZE", "Burst", "Chunk", "Group", "Move",
           "Order", "Row", "Run", "Span", "Vector"]

ADDRESS   = 32  #: Bits of an external address.
CORE      = 22  #: Bits of a core address.
SIZE      = 21  #: Bits of a row size, which counts bytes.
BEATS_MAX = 16  #: Most beats of a burst.

#: Count of the other kind's commands that end before a command begins, and its number in the list.
#: Earlier commands with its own kind end before it in any case.
Order = data.StructLayout({"others": 16, "entry": 16})
#: A RUN: its first pass.
Run = data.StructLayout({"order": Order, "first": range(PASSES_MAX)})
#: A transfer from external address ``offset`` on. A ``dense`` LOAD reads all its rows as a single
#: run of bytes. ``reach`` is a run's last byte minus its first, ``last`` the same for a row. The
#: number of ``rows`` is less by 1.
Move = data.StructLayout({
    "order": Order, "store": 1, "fill": 1, "narrow": 1, "dense": 1, "offset": ADDRESS,
    "reach": ADDRESS, "core": CORE, "last": SIZE, "rows": 16, "stride": ADDRESS,
    "core_stride": signed(CORE + 1)})
#: External bytes ``first .. last``.
Span = data.StructLayout({"first": ADDRESS, "last": ADDRESS})
#: A burst of ``beats + 1`` beats; ``address`` is aligned to the bus width.
Burst = data.StructLayout({"address": ADDRESS, "beats": range(BEATS_MAX)})


def Row(width):
    """Layout for a transfer's row on a ``width``-bit bus.

    ``core``: its first byte in the core; ``low``: the low bits of its first byte outside.
    ``starts``, ``ends``: it is the first, the last row in a run of external bytes; ``final``: the
    transfer's last row.
    """
    return data.StructLayout({"core": CORE, "low": exact_log2(width // 8), "starts": 1, "ends": 1,
                              "final": 1})


def Group(width):
    """Layout for an aligned ``width``-bit group of a row, of which ``mask`` marks the bytes.

    ``place``: core address in groups; ``final``: the transfer's last group. Its bytes begin with
    byte ``source`` of the kept beat, ``turn`` bytes above their places. ``needs``: some of its
    bytes are in the next beat; ``frees``: it uses the kept beat up; ``ends``: and the next one, as
    the run ends.
    """
    low = exact_log2(width // 8)
    return data.StructLayout({"place": CORE - low, "mask": width // 8, "final": 1, "source": low,
                              "turn": low, "needs": 1, "frees": 1, "ends": 1})


def Chunk(width):
    """Layout for an aligned ``width``-bit group with byte strobes.

    ``place``: core address in groups; ``final``: the transfer's last group.
    """
    return data.StructLayout({"place": CORE - exact_log2(width // 8), "data": width,
                              "mask": width // 8, "final": 1})


def Vector(width, ways):
    """Layout for a vector read from X: ``first .. last`` are its ``width``-bit groups to use.

    A vector narrower than a group is followed by unused bits.
    """
    parts = range(max(2, 16 * ways // width))
    return data.StructLayout({"data": max(width, 16 * ways), "first": parts, "last": parts})
