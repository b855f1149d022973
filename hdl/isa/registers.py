"""What the host sees: regions, registers and their bits, and why a program stopped."""

from amaranth.lib import enum

__all__ = ["COUNTERS", "IDENTITY", "PASS_STRIDE", "TRACE_STRIDE", "VERSION", "Control", "Count",
           "Dialect", "Engine", "Flag", "Region", "Register", "State", "Status"]

PASS_STRIDE  = 16   #: 64-bit words from one pass to the next in program memory.
TRACE_STRIDE = 8    #: 32-bit words of a trace record.
IDENTITY     = 0x434D5958  #: "XYMC", little-endian.
VERSION      = 1


class State(enum.Enum, shape=2):
    """What the core is doing."""

    IDLE  = 0
    BUSY  = 1
    DONE  = 2
    FAULT = 3


class Status(enum.Enum, shape=4):
    """Why a program stopped."""

    OK          = 0
    OPCODE      = 1  #: Unknown operation, or one with a heap that is no MAC; on the compact core
    #: also any with a heap or a table of the host.
    COUNT       = 2  #: A loop count, or the number of beats, is zero or too large; names the field.
    SHIFT       = 3  #: Output shift outside -16 .. 40.
    WINDOW      = 4  #: A window reaches beyond its memory, is empty, or is not the window that the
    #: fields which are derived from it belong to; names the AGU as field.
    X_ACCESS    = 5  #: An access outside the window of X.
    Y_ACCESS    = 6  #: An access outside the window of Y, or a bias beyond Y memory.
    Z_ACCESS    = 7  #: A write outside the window of Z; it and all later writes are suppressed.
    EMPTY       = 8  #: A window of taps that the border clips to nothing.
    END         = 9  #: The program ran past its memory without a last pass.
    TABLE       = 10  #: A table of the host without a legal place; names its ``Table`` as field.
    STOPPED     = 11  #: The host has stopped the program; names the oldest pass not yet written.


class Count(enum.Enum, shape=4):
    """Fields that ``Status.COUNT`` and ``Status.WINDOW`` name."""

    OUTER0 = 0
    OUTER1 = 1
    OUTER2 = 2
    TAPS0  = 3
    TAPS1  = 4
    TAPS2  = 5
    BEATS  = 6
    X      = 7
    Y      = 8
    Z      = 9


class Control(enum.Flag, shape=3):
    """Bits of ``Register.CONTROL``, each acting when written as 1."""

    START = 1  #: Run from pass ``FIRST``; ignored unless idle or done.
    CLEAR = 2  #: Back to idle from done or fault; clears status and flags.
    STOP  = 4  #: End the program that runs, whatever it does, in state fault within 1,000 cycles.


class Flag(enum.Flag, shape=2):
    """Bits of ``Register.FLAGS``; sticky until a start or a clear."""

    OVERFLOW = 1  #: A finished sum left the accumulator's range.
    HOST_HIT = 2  #: A host write fell into a window of a pass that was running, or into program,
    #: tables or places during a run.


class Dialect(enum.Flag, shape=3):
    """Bits of ``Register.DIALECTS``."""

    MLI_1 = 1  #: embARC MLI 1.x.
    MLI_2 = 2  #: embARC MLI 2.0.
    XS3   = 4  #: The vector unit of the XMOS XS3, lib_nn.


class Engine(enum.Enum, shape=8):
    """What runs the passes: bits 8 to 15 of ``Register.DIALECTS``."""

    ARRAY        = 0  #: The array of multipliers, with every operation.
    MICROPROGRAM = 1  #: A microprogram, without ``Op.GATHER`` and ``Op.SPREAD``.


#: Counters of a program in the order of registers and trace words. Every cycle from start to
#: interrupt is an issued step or exactly one stall.
COUNTERS = ("cycles", "issued", "x", "y", "drain", "fetch", "host")


class Register(enum.Enum, shape=8):
    """Byte offsets of the 32-bit registers in ``Region.REGISTERS``."""

    IDENTITY = 0x00  #: Constant ``IDENTITY``.
    VERSION  = 0x04  #: Constant ``VERSION``.
    GEOMETRY = 0x08  #: ``ways | passes << 8``.
    DEPTH    = 0x0C  #: ``x_rows | y_rows << 16``.
    CONTROL  = 0x10  #: Write ``Control``.
    STATUS   = 0x14  #: ``State | Status << 4 | field << 8 | pass << 16``; the pass that ended it.
    FLAGS    = 0x18  #: ``Flag``.
    IRQ_MASK = 0x1C  #: Bit 0 lets done or fault raise the interrupt.
    FIRST    = 0x20  #: First pass of a program.
    DIALECTS = 0x24  #: Constant ``Dialect | Engine << 8``: whose kernels it executes, and how.
    CYCLES   = 0x40  #: Counters, in the order of ``COUNTERS``.
    ISSUED   = 0x44
    STALL_X  = 0x48  #: No X address was ready.
    STALL_Y  = 0x4C  #: No Y address was ready, or the port read a bias.
    DRAIN    = 0x50  #: The output stage, or results a later pass waits for, held the array.
    FETCH    = 0x54  #: No pass was ready.
    HOST     = 0x58  #: A host read took the slot.


class Region(enum.Enum, shape=22):
    """Byte offsets of what the host sees, in a space of 4 MiB; words of 32 bits."""

    REGISTERS = 0x000000
    PROGRAM   = 0x010000  #: Passes, ``PASS_STRIDE`` words of 64 bits each. Write only.
    TRACE     = 0x020000  #: Records of ``TRACE_STRIDE`` words: the counters when the pass issued
    #: its last step; then ``overflow << 31 | cycles`` when its last result was written. Read only.
    TABLES    = 0x030000  #: Entries of table memory, two a word. Write only.
    PLACES    = 0x040000  #: ``Place`` of every ``Table`` but NONE, a word each. Write only.
    X         = 0x100000  #: Cells of X, two a word. A read of X or Y waits for a free slot.
    Y         = 0x200000  #: Cells of Y, two a word.
