# SPDX-License-Identifier: Apache-2.0
"""Interfaces of issue: steps to the array, outputs to the drain, and stall causes."""

from amaranth import signed, unsigned
from amaranth.lib import data, enum

from xymac.hdl.config import SLOTS
from xymac.hdl.isa import HELD, Encoded, Op

from .hold import HeldStep

__all__ = ["HostRead", "Kind", "Stall", "Step", "ToDrain", "ToIssue"]


class Kind(enum.Enum, shape=3):
    """Action of a step in the operand pipelines."""

    NONE   = 0
    STEP   = 1  #: Multiply and accumulate.
    BIAS   = 2  #: Read a row of Y into the bias registers.
    HOST_X = 3  #: Read a 16-bit word of X for the host.
    HOST_Y = 4  #: Read a 16-bit word of Y for the host.
    SCALE  = 5  #: Send the bias registers out as a parameter word: multiplier and shifts.
    ADDEND = 6  #: Send the bias registers out as a parameter word: the addend.


class Stall(enum.Enum, shape=3):
    """Cause of a cycle without a step; the values are positions in ``isa.COUNTERS``."""

    IDLE  = 0  #: No pass runs.
    NONE  = 1  #: A step was issued.
    X     = 2
    Y     = 3
    DRAIN = 4
    FETCH = 5
    HOST  = 6


#: A step: addresses in the units of ``isa.Shape``, and the access mode. ``ranges``: its elements
#: enter the X range, which restarts with ``anew``. ``slides``: only the MACs in ``ways`` multiply;
#: the lanes store its element at index ``place``, and a column has ``rows`` elements.
Step = data.StructLayout({
    "kind": Kind, "x": unsigned(17), "y": unsigned(17), "x_lanes": 1, "y_lanes": 1,
    "x_crossed": 1, "x_wide": 1, "y_wide": 1, "op": Op, "first": 1, "last": 1, "biased": 1,
    "lane": unsigned(4), "resume": 1, "entry": range(HELD), "held": HeldStep, "x_zero": signed(16),
    "ranges": 1, "anew": 1, "slides": 1, "ways": 4, "place": 4, "rows": 4})
#: Host read of a 16-bit word: X by vector (element ``lane % ways``), Y by ``LANES`` address.
HostRead = data.StructLayout({"y": 1, "address": unsigned(17), "lane": unsigned(4)})
#: An output for the drain: relative address, slot, vectors (``beats``) and whether it is the last.
ToDrain = data.StructLayout({
    "relative": Encoded["z"].shape["start"].shape, "slot": range(SLOTS), "beats": unsigned(3),
    "last": 1, "hold": 1})
#: Fields of a loop sequencer output (``loop_nest.Output``) for issue: its target address, its
#: parameter row in Y, and the tap rows and columns of a slide.
ToIssue = data.StructLayout({
    "z": Encoded["z"].shape["start"].shape, "rows": unsigned(4), "columns": unsigned(3),
    "bias": 1, "bias_row": unsigned(12), "bias_bad": 1, "empty": 1, "slot": range(SLOTS),
    "first": 1, "last": 1, "wait": 1, "resume": 1, "hold": 1, "entry": range(HELD),
    "records": 2, "gather": 1, "slide": 1, "begins": 1, "blank": 1})
