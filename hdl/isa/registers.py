# SPDX-License-Identifier: Apache-2.0
"""Register codes: state, status, flags, libraries, counters."""

from amaranth.lib import enum

__all__ = ["COUNTERS", "IDENTITY", "PASS_STRIDE", "TRACE_STRIDE", "VERSION", "Control", "Count",
           "Dialect", "Engine", "Flag", "State", "Status"]

PASS_STRIDE  = 16   #: Distance of two passes in program memory, 64-bit words.
TRACE_STRIDE = 8    #: Length of a trace record, 32-bit words.
IDENTITY     = 0x434D5958  #: "XYMC", little-endian.
VERSION      = 2  #: Version of the address map and the pass encoding.


class State(enum.Enum, shape=2):
    """Core state."""

    IDLE  = 0
    BUSY  = 1
    DONE  = 2
    FAULT = 3


class Status(enum.Enum, shape=4):
    """Reason why a program ended."""

    OK          = 0
    OPCODE      = 1  #: Operation, reduction or table that the core lacks, or a heap without a MAC.
    COUNT       = 2  #: A loop count, or the number of beats, is zero or too large; names the field.
    SHIFT       = 3  #: Output shift outside -16 .. 40.
    WINDOW      = 4  #: A window is empty, exceeds its memory, or disagrees with the fields derived
    #: from it; names the AGU as field.
    X_ACCESS    = 5  #: An access outside the X window.
    Y_ACCESS    = 6  #: An access outside the Y window, or a bias beyond Y memory.
    Z_ACCESS    = 7  #: A write outside the Z window; this and all later writes are suppressed.
    EMPTY       = 8  #: The padding clip removes all taps of an output.
    END         = 9  #: The program ran past its memory without a last pass.
    TABLE       = 10  #: A host-written table has no legal place; names its ``Table`` as field.
    STOPPED     = 11  #: The host has stopped the program; names the oldest unwritten pass.


class Count(enum.Enum, shape=4):
    """Fields named by ``Status.COUNT`` and ``Status.WINDOW``."""

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


class Control(enum.Flag, shape=4):
    """Command bits in ``Register.CONTROL``; writing a 1 triggers the command."""

    START = 1
    CLEAR = 2
    STOP  = 4
    LIST  = 8  #: Cores with a DMA only.


class Flag(enum.Flag, shape=2):
    """Bits in ``Register.FLAGS``; sticky until a start or a clear."""

    OVERFLOW = 1  #: A final sum was outside the accumulator range.
    HOST_HIT = 2  #: A host write hit a window of a running pass, or, during a run, the program,
    #: tables or places.


class Dialect(enum.Flag, shape=3):
    """Library bits in ``Register.DIALECTS``."""

    MLI_1 = 1  #: embARC MLI 1.x.
    MLI_2 = 2  #: embARC MLI 2.0.
    XS3   = 4  #: The vector unit of the XMOS XS3, lib_nn.


class Engine(enum.Enum, shape=8):
    """The core's execution engine: field ``engine`` in ``Register.DIALECTS``."""

    ARRAY        = 0  #: An array of multipliers.
    MICROPROGRAM = 1  #: A microprogram on one multiplier.


#: Cycle counters of a program, in register and trace order. Every cycle from start to interrupt is
#: either an issued step or exactly one stall.
COUNTERS = ("cycles", "issued", "x", "y", "drain", "fetch", "host")
