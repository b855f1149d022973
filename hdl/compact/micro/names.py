"""Names and numbers that the parts of the microprogram share."""

from hdl.compact.memory import PAGE
from hdl.config import COMPACT
from hdl.isa import BANKS, Register, State, Table, bias_rows

__all__ = ["AGUS", "BASES", "ENTRY", "EXTREME", "GROUPS", "HALF", "OUTER", "PAGE_CELLS", "PLACES",
           "RECORD", "RESET_VALUES", "ROW_CELLS", "TAPS", "TRIPLES", "VARIABLES", "X_CELLS",
           "Y_CELLS", "page", "why"]

AGUS      = ("x", "y", "z")  #: Members 0 to 2 of the groups of ``TRIPLES``.
OUTER     = tuple(f".outer{level}" for level in range(3))  #: Strides of the output loops.
BASES     = tuple(f".base{level}" for level in range(3))   #: Addresses at which they are.
TAPS      = tuple(f".tap{level}" for level in range(3))    #: Strides of the tap loops.
TRIPLES   = (".mode", ".order", ".low", ".high", ".last", *OUTER, *BASES, *TAPS,
             ".row", ".column", ".relative", ".span")
#: Other groups of registers, a member each lane.
GROUPS    = (".bias", ".addend", ".sum", ".pre", ".multiplier", ".post")
#: All registers that are in no group.
VARIABLES = (
    # of the program
    "state", "flags", "why", "index", "iteration", "move1", "move2", "issued", "cycles", "drained",
    # scalars
    "maximum", "minimum", "places", "total", "inverse",
    # fields of the pass
    "op", "outer0", "outer1", "outer2", "taps0", "taps1", "taps2", "beats", "bias", "shift",
    "rounding", "reduce", "inverted", "hold", "resume", "scale", "zero", "table", "x_width",
    "y_width", "z_width", "z_memory", "low", "high", "halve", "drop",
    *(f"{axis} {part}" for axis in ("rows", "cols") for part in ("pad", "step", "size")),
    # what stands while the pass runs
    "plain", "floor", "records", "more records", "last record", "record row", "twice", "held",
    "range", "range limit", "range twice", "limit high", "limit low", "wide", "anchor",
    "table shift", "fraction", "table rounding", "table offset", "table first", "table last",
    "folded", "overflow",
    # of the loops
    "a left", "b left", "c left", "due", "top", "left", "first i", "count i", "first j", "count j",
    "i left", "j left", "k left", "lane", "beat",
    # of a moment
    "at", "t", "v", "record", "written")
ROW_CELLS = BANKS * COMPACT.ways
RECORD    = bias_rows(COMPACT.ways)  #: Rows.
ENTRY     = RECORD * ROW_CELLS    #: Cells of a held entry.
X_CELLS   = COMPACT.x_rows * ROW_CELLS
Y_CELLS   = COMPACT.y_rows * ROW_CELLS
EXTREME   = 1 << 47  #: Beyond every product.
HALF      = 16       #: Bits of a cell.
PLACES    = 1664     #: Address in the table ROM, behind all entries: four words for each ``Table``.
RESET_VALUES = PLACES + 4 * len(Table)  #: Address in the table ROM: an image of the register page.
PAGE_CELLS   = max(register.value for register in Register) // 2 + 2  #: Words of that page.


def page(register, half=0):
    """Cell of a half of a register."""
    return PAGE + register.value // 2 + half


def why(status, field=0):
    """The lower half of ``Register.STATUS`` after a fault."""
    return State.FAULT.value | status.value << 4 | field << 8
