# SPDX-License-Identifier: Apache-2.0
"""Register names and constants shared by the parts of the microprogram."""

from xymac.hdl.compact.memory import PAGE
from xymac.hdl.config import COMPACT
from xymac.hdl.isa import BANKS, PLAIN_REGISTERS, State, Table, bias_rows

__all__ = ["AGUS", "BASES", "ENTRY", "EXTREME", "GROUPS", "HALF", "OUTER", "PAGE_CELLS", "PLACES",
           "RECORD", "RESET_VALUES", "ROW_CELLS", "TAPS", "TRIPLES", "VARIABLES", "X_CELLS",
           "Y_CELLS", "page", "why"]

AGUS      = ("x", "y", "z")  #: Members 0 to 2 in the ``TRIPLES`` groups.
OUTER     = tuple(f".outer{level}" for level in range(3))  #: Output loop strides.
BASES     = tuple(f".base{level}" for level in range(3))   #: Current output loop addresses.
TAPS      = tuple(f".tap{level}" for level in range(3))    #: Tap loop strides.
TRIPLES   = (".mode", ".order", ".low", ".high", ".last", *OUTER, *BASES, *TAPS,
             ".row", ".column", ".relative", ".span")
#: Other register groups, with a member for each lane.
GROUPS    = (".bias", ".addend", ".sum", ".pre", ".multiplier", ".post")
#: All registers outside the groups.
VARIABLES = (
    # program state
    "state", "flags", "why", "index", "iteration", "move1", "move2", "issued", "cycles", "drained",
    # scalars
    "maximum", "minimum", "places", "total", "inverse",
    # pass fields
    "op", "outer0", "outer1", "outer2", "taps0", "taps1", "taps2", "beats", "bias", "shift",
    "rounding", "reduce", "inverted", "hold", "resume", "scale", "zero", "table", "x_width",
    "y_width", "z_width", "z_memory", "low", "high", "halve", "drop",
    *(f"{axis} {part}" for axis in ("rows", "cols") for part in ("pad", "step", "size")),
    # constant while the pass runs
    "plain", "floor", "records", "more records", "last record", "record row", "twice", "held",
    "range", "range limit", "range twice", "limit high", "limit low", "wide", "anchor",
    "table shift", "fraction", "table rounding", "table offset", "table first", "table last",
    "folded", "overflow",
    # loop counters
    "a left", "b left", "c left", "due", "top", "left", "first i", "count i", "first j", "count j",
    "i left", "j left", "k left", "lane", "beat",
    # temporaries
    "at", "t", "v", "record", "written")
ROW_CELLS = BANKS * COMPACT.ways
RECORD    = bias_rows(COMPACT.ways)  #: Rows of a bias.
ENTRY     = RECORD * ROW_CELLS    #: 16-bit words of saved accumulators, an entry.
X_CELLS   = COMPACT.x_rows * ROW_CELLS
Y_CELLS   = COMPACT.y_rows * ROW_CELLS
EXTREME   = 1 << 47  #: Larger than every product.
HALF      = 16       #: Bits of a memory word.
PLACES    = 1664     #: Table ROM address of the descriptors, four words for each ``Table``.
RESET_VALUES = PLACES + 4 * len(Table)  #: Table ROM address for a register page image.
PAGE_CELLS   = max(register.value for register in PLAIN_REGISTERS) // 2 + 2  #: Words of that page.


def page(register, half=0):
    """Memory address of a register's lower (0) or upper (1) half."""
    return PAGE + register.value // 2 + half


def why(status, field=0):
    """Lower half of ``Register.STATUS`` after a fault."""
    return State.FAULT.value | status.value << 4 | field << 8
