"""Sizes of memory and accumulator, and the limits of a pass."""

__all__ = ["ACC_BITS", "ADDRESS_BITS", "BACK_MAX", "BANKS", "BIAS_BITS", "CELL_BITS",
           "ELEMENT_BITS", "FLOOR_BITS", "FLOOR_MAX", "HELD", "SHIFT_MAX", "SHIFT_MIN",
           "SLIDE_ROWS"]

BANKS        = 4    #: Groups of ``ways`` lanes; the drain of one output takes this many cycles.
CELL_BITS    = 16   #: One memory cell: a 16-bit element, or two 8-bit elements of consecutive rows.
ACC_BITS     = 40   #: Accumulator, guard bits included.
BIAS_BITS    = 48   #: Bias word: the accumulator and 8 bits that count its wraps.
ELEMENT_BITS = 18   #: Element that is looked up.
FLOOR_BITS   = 8    #: What a pass that floors clears more bits than.
FLOOR_MAX    = 15   #: Largest ``floor`` of a pass.
ADDRESS_BITS = 20   #: Signed address relative to the window, inside an AGU.
SHIFT_MIN    = -16  #: A left shift by 16 or more saturates every value but 0.
SHIFT_MAX    = 40   #: Larger right shifts of a 40-bit value give what this one gives.
HELD         = 16   #: Sums that a lane can hold.
SLIDE_ROWS   = 5    #: Rows of taps of a slide: lanes keep three columns of them, and one element.
BACK_MAX     = 63   #: Passes that a loop can go back.
