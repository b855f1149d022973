# SPDX-License-Identifier: Apache-2.0
"""Commands of a list in external memory: transfers, program runs, and their order.

A list lies in an *image*, a block of external memory. A command has ``COMMAND_WORDS`` 32-bit
words, little-endian, and lies on a multiple of its size:

==== ============ =======================================================================
word bits         meaning
==== ============ =======================================================================
0    0 .. 3       ``Opcode``; the other bits of the word are 0
0    4            ``narrow``, of a transfer: see below
1    0 .. 15      ``runs``: RUN commands of the list that end before this command begins
1    16 .. 31     ``moves``: LOAD, STORE and FILL commands that end before it begins
2                 ``offset`` in the image, bytes, any alignment; of a RUN the first pass
3                 ``core``: byte address in the address map of the core
4                 ``row_bytes``: bytes of a row, 1 .. ``ROW_BYTES_MAX``
5                 ``rows``, 1 .. ``ROWS_MAX``
6    signed       ``stride`` in the image from row to row, bytes
7    signed       ``core_stride`` in the core from row to row, bytes, 23 bits
==== ============ =======================================================================

RUN commands follow each other in list order, and so do LOAD, STORE and FILL; ``runs`` and ``moves``
alone order a RUN and a transfer. Neither may exceed the number of such commands before the command,
so no list can wait for ever. END waits for all commands before it.

``core``, ``row_bytes`` and ``core_stride`` are multiples of 2 in X and Y, and of 4 in every other
region. A LOAD or a FILL may go to X, Y, PROGRAM, TABLES or PLACES, all rows in the same region; a
STORE reads X.

With ``narrow`` X is an array of 8-bit elements: ``core`` is X's start plus an element number, in a
pass's address order, and an image byte is an element. Element ``e`` lies in word ``e // (2 * lanes)
* lanes + e % lanes``, in its upper byte if ``e // lanes`` is odd. ``core``, ``row_bytes`` and
``core_stride`` need no alignment then.
"""

from dataclasses import astuple, dataclass, replace

from amaranth.lib import enum

__all__ = ["COMMANDS_MAX", "COMMAND_BYTES", "COMMAND_WORDS", "ROWS_MAX", "ROW_BYTES_MAX",
           "Command", "ListStatus", "Opcode"]

COMMAND_WORDS = 8        #: 32-bit words of a command.
COMMAND_BYTES = 32       #: Bytes of a command, and its alignment in the image.
COMMANDS_MAX  = 65535    #: Most commands of a list, END included.
ROW_BYTES_MAX = 1 << 20  #: Most bytes of a row.
ROWS_MAX      = 65535    #: Most rows of a transfer.

_WORD   = 32  # bits
_HALF   = 16
_CORE   = 22  # bits of a core address
_PLAIN  = 20  # bits of an address below X
_NARROW = 4   # bit of word 0
_COUNTS = (1 << _HALF) - 1


class Opcode(enum.Enum, shape=3):
    """Command kind."""

    END   = 0  #: The list is done, once all commands before have ended.
    LOAD  = 1  #: Copy rows from the image into the core.
    STORE = 2  #: Copy rows of X into the image.
    RUN   = 3  #: Run the program from its first pass to its last.
    FILL  = 4  #: Write zeros into rows of the core.


class ListStatus(enum.Enum, shape=4):
    """Reason why a command list ended."""

    OK      = 0
    ILLEGAL = 1  #: A command that the format does not allow.
    OUTSIDE = 2  #: A command or a transfer outside the image, a region or program memory.
    BUS     = 3  #: The external memory answered with an error.
    PROGRAM = 4  #: A program ended in a fault; `STATUS` has its reason.
    ENDLESS = 5  #: A list of more than 65,535 commands.
    STOPPED = 6  #: The host has stopped the list; names its oldest command that had not ended.


@dataclass(frozen=True)
class Command:
    """A command; the module docstring defines the fields. A RUN has its first pass in ``offset``.
    """

    opcode:      Opcode
    runs:        int = 0
    moves:       int = 0
    offset:      int = 0
    core:        int = 0
    row_bytes:   int = 0
    rows:        int = 0
    stride:      int = 0
    core_stride: int = 0
    narrow:      bool = False

    @property
    def is_move(self):
        """Whether the command is a transfer: LOAD, STORE or FILL."""
        return self.opcode in (Opcode.LOAD, Opcode.STORE, Opcode.FILL)

    @property
    def unit(self):
        """Alignment at ``core``, bytes: 1 if narrow, 2 in X and Y, else 4."""
        if self.narrow:
            return 1
        return 2 if self.core >> _PLAIN else 4

    def encode(self):
        """Encode as a list of ``COMMAND_WORDS`` 32-bit ints.

        ValueError for a value that the format does not allow.
        """
        self.check()
        return [int(self.opcode.value) | self.narrow << _NARROW, self.runs | self.moves << _HALF,
                *(value % (1 << _WORD) for value in astuple(self)[3:-1])]

    def check(self):
        """ValueError, one sentence, for a value that the format does not allow."""
        name = self.opcode.name
        ranges = {"runs": (0, _COUNTS), "moves": (0, _COUNTS), "offset": (0, (1 << _WORD) - 1)}
        if self.is_move:
            ranges |= {"core": (0, (1 << _WORD) - 1), "row_bytes": (1, ROW_BYTES_MAX),
                       "rows": (1, ROWS_MAX), "stride": (-1 << _WORD - 1, (1 << _WORD - 1) - 1),
                       "core_stride": (-1 << _CORE, (1 << _CORE) - 1)}
        for field, (low, high) in ranges.items():
            value = getattr(self, field)
            if not low <= value <= high:
                raise ValueError(f"{field} of a {name} must be between {low} and {high}, "
                                 f"not {value!r}")
        for field in ("core", "row_bytes", "core_stride") if self.is_move else ():
            if getattr(self, field) % self.unit:
                raise ValueError(f"{field} of a {name} at {self.core:#x} must be a multiple of "
                                 f"{self.unit}, not {getattr(self, field)!r}")
        if self.narrow and not (self.is_move and self.core >> _PLAIN == 1):
            raise ValueError(f"A {name} at {self.core:#x} must not be narrow, only a transfer of X")

    @classmethod
    def decode(cls, words):
        """Decode ``COMMAND_WORDS`` 32-bit ints, the inverse of ``encode``.

        ValueError for words outside the format. A RUN and an END ignore the words behind their last
        field.
        """
        kind, waits, offset, core, row_bytes, rows, stride, core_stride = map(int, words)
        code, narrow = kind & ~(1 << _NARROW), bool(kind >> _NARROW & 1)
        if code not in {opcode.value for opcode in Opcode}:
            raise ValueError(f"Word 0 of a command must be an opcode, 0 .. 4, not {code:#x}")
        opcode  = Opcode(code)
        command = cls(opcode, waits & _COUNTS, waits >> _HALF, narrow=narrow)
        if opcode is Opcode.RUN:
            command = replace(command, offset=offset)
        elif opcode is not Opcode.END:
            command = replace(command, offset=offset, core=core, row_bytes=row_bytes, rows=rows,
                              stride=_signed(stride), core_stride=_signed(core_stride))
        command.check()
        return command


def _signed(word):
    return word - (word >> _WORD - 1 << _WORD)
