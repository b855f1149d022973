"""What issue hands on: steps to the array, outputs to the drain, and why there is no step."""

from amaranth import signed, unsigned
from amaranth.lib import data, enum

from hdl.config import SLOTS
from hdl.isa import HELD, Encoded, Op

from .hold import HeldStep

__all__ = ["HostRead", "Kind", "Stall", "Step", "ToDrain", "ToIssue"]


class Kind(enum.Enum, shape=3):
    """What one slot of the operand pipelines does."""

    NONE   = 0
    STEP   = 1  #: Multiply and accumulate.
    BIAS   = 2  #: Read a row of Y into the bias registers.
    HOST_X = 3  #: Read a cell of X for the host.
    HOST_Y = 4  #: Read a cell of Y for the host.
    SCALE  = 5  #: Hand what the bias registers hold on as a sum: the first parameters.
    ADDEND = 6  #: The same: the addend.


class Stall(enum.Enum, shape=3):
    """Why a cycle issued no step; the values are positions in ``isa.COUNTERS``."""

    IDLE  = 0  #: Nothing runs.
    NONE  = 1  #: A step was issued.
    X     = 2
    Y     = 3
    DRAIN = 4
    FETCH = 5
    HOST  = 6


#: One slot: addresses in the units of ``isa.Shape``, and how to read them. It ``ranges`` what it
#: reads, ``anew`` if it is the first to do so. One that ``slides`` multiplies the ``ways`` alone;
#: lanes keep its element at ``place``, and a column of them is ``rows`` long.
Step = data.StructLayout({
    "kind": Kind, "x": unsigned(17), "y": unsigned(17), "x_lanes": 1, "y_lanes": 1,
    "x_crossed": 1, "x_wide": 1, "y_wide": 1, "op": Op, "first": 1, "last": 1, "biased": 1,
    "lane": unsigned(4), "resume": 1, "entry": range(HELD), "held": HeldStep, "x_zero": signed(16),
    "ranges": 1, "anew": 1, "slides": 1, "ways": 4, "place": 4, "rows": 4})
#: A read of one cell: X by group (way ``lane % ways``), Y by ``LANES`` address.
HostRead = data.StructLayout({"y": 1, "address": unsigned(17), "lane": unsigned(4)})
#: What the drain must know of an output: where it goes, how much, and whether it ends its pass.
ToDrain = data.StructLayout({
    "relative": Encoded["z"].shape["start"].shape, "slot": range(SLOTS), "beats": unsigned(3),
    "last": 1, "hold": 1})
#: Fields of a loop sequencer output (``loop_nest.Output``) for issue: its target, its row of
#: per-channel parameters in Y, the rows and columns of taps of a slide.
ToIssue = data.StructLayout({
    "z": Encoded["z"].shape["start"].shape, "rows": unsigned(4), "columns": unsigned(3),
    "bias": 1, "bias_row": unsigned(12), "bias_bad": 1, "empty": 1, "slot": range(SLOTS),
    "first": 1, "last": 1, "wait": 1, "resume": 1, "hold": 1, "entry": range(HELD),
    "records": 2, "gather": 1, "slide": 1, "begins": 1, "blank": 1})
