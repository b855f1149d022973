"""Codes that registers hold: state, status, flags, libraries, counters."""

from amaranth.lib import enum

__all__ = ["COUNTERS", "IDENTITY", "PASS_STRIDE", "TRACE_STRIDE", "VERSION", "Control", "Count",
           "Dialect", "Engine", "Flag", "State", "Status"]

PASS_STRIDE  = 16   #: 64-bit words from one pass to the next in program memory.
TRACE_STRIDE = 8    #: 32-bit words of a trace record.
IDENTITY     = 0x434D5958  #: "XYMC", little-endian.
VERSION      = 2  #: Of the address map and of the passes.


class State(enum.Enum, shape=2):
    """State of the core."""

    IDLE  = 0
    BUSY  = 1
    DONE  = 2
    FAULT = 3


class Status(enum.Enum, shape=4):
    """Reason for the end of a program."""

    OK          = 0
    OPCODE      = 1  #: Operation, reduction or table that the core lacks, or a heap without a MAC.
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

    START = 1
    CLEAR = 2
    STOP  = 4


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
    """Part of the core that runs the passes: field ``engine`` of ``Register.DIALECTS``."""

    ARRAY        = 0  #: An array of multipliers.
    MICROPROGRAM = 1  #: A microprogram on one multiplier.


#: Counters of a program in the order of registers and trace words. Every cycle from start to
#: interrupt is an issued step or exactly one stall.
COUNTERS = ("cycles", "issued", "x", "y", "drain", "fetch", "host")
