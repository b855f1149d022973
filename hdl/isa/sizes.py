# SPDX-License-Identifier: Apache-2.0
"""Word and accumulator widths, and limits of pass fields."""

__all__ = ["ACC_BITS", "ADDRESS_BITS", "BACK_MAX", "BANKS", "BIAS_BITS", "CELL_BITS",
           "ELEMENT_BITS", "FLOOR_BITS", "FLOOR_MAX", "HELD", "SHIFT_MAX", "SHIFT_MIN",
           "SLIDE_ROWS"]

BANKS        = 4    #: Banks of ``ways`` lanes; draining an output takes as many cycles.
CELL_BITS    = 16   #: Memory word: a 16-bit element, or two 8-bit elements of consecutive rows.
ACC_BITS     = 40   #: Accumulator, guard bits included.
BIAS_BITS    = 48   #: Bias: the accumulator and 8 bits that count its wraps.
ELEMENT_BITS = 18   #: Table input.
FLOOR_BITS   = 8    #: A floored pass clears ``FLOOR_BITS + floor`` bits.
FLOOR_MAX    = 15   #: Largest ``floor`` of a pass.
ADDRESS_BITS = 20   #: Signed address relative to the window, inside an AGU.
SHIFT_MIN    = -16  #: A left shift by 16 or more saturates every value but 0.
SHIFT_MAX    = 40   #: A larger right shift of a 40-bit value gives the same result.
HELD         = 16   #: Accumulators that a lane can save.
SLIDE_ROWS   = 5    #: Most tap rows of a SLIDE: a lane keeps three columns of them and one element.
BACK_MAX     = 63   #: Most passes that a program loop goes back.
