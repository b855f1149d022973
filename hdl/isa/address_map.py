# SPDX-License-Identifier: Apache-2.0
"""Address map: every register with its fields, and every memory region, declared once.

Hardware, drivers, headers and documents read ``REGISTERS`` and ``REGIONS``.
"""

from dataclasses import dataclass
from types import new_class

from amaranth.lib import enum

from .codes import Table
from .commands import ListStatus
from .registers import (
    COUNTERS,
    IDENTITY,
    PASS_STRIDE,
    TRACE_STRIDE,
    VERSION,
    Control,
    Dialect,
    Engine,
    Flag,
    State,
    Status,
)
from .sizes import BANKS
from .tables import TABLE_ENTRIES

__all__ = ["PLAIN_REGISTERS", "REGIONS", "REGISTERS", "Field", "Region",
           "RegionLayout", "Register", "RegisterLayout"]

_WORD = 32  # bits


@dataclass(frozen=True)
class Field:
    """Register bits ``offset .. offset + width - 1``.

    ``codes`` is the Enum or Flag of the values, or None for a plain number. A core may implement
    fewer bits; the other bits read as 0 and ignore writes.
    """

    name:    str
    offset:  int
    width:   int
    meaning: str = ""
    codes:   type | None = None


@dataclass(frozen=True)
class RegisterLayout:
    """A 32-bit register.

    ``access`` is ``const`` (fixed when the core is built), ``r``, ``w`` (writing a 1 to a field
    acts; the field reads as 0) or ``rw``. ``reset`` is the value after a reset; it is 0 for a
    core-dependent constant. Only cores with a DMA have a register with ``dma``.
    """

    offset:  int
    access:  str
    meaning: str
    fields:  tuple
    reset:   int = 0
    dma:     bool = False

    def pack(self, **values):
        """Pack field ``values`` into a word; a missing field is 0.

        KeyError for an unknown field, ValueError for a value that does not fit its field.
        """
        known, word = {field.name: field for field in self.fields}, 0
        for name, value in values.items():
            field = known[name]
            if not 0 <= value < 1 << field.width:
                raise ValueError(f"{name} must be between 0 and {(1 << field.width) - 1}, not "
                                 f"{value!r}")
            word |= value << field.offset
        return word

    def unpack(self, word):
        """Unpack ``word`` into a dict: the int value of every field, by name."""
        return {field.name: word >> field.offset & (1 << field.width) - 1 for field in self.fields}


@dataclass(frozen=True)
class RegionLayout:
    """A memory region from byte ``offset`` on, with ``bits`` per word.

    ``items(ways=, x_rows=, y_rows=, passes=)`` is the number of words in a core with these sizes.
    ``access`` is ``r``, ``w`` or ``rw``.
    """

    offset:  int
    access:  str
    meaning: str
    bits:    int
    items:   object

    def size(self, **sizes):
        """Region size in a core with ``sizes``, bytes."""
        return self.items(**sizes) * self.bits // 8


def _whole(name, meaning="", codes=None):
    """Single field that covers the whole register, as a tuple."""
    return (Field(name, 0, _WORD, meaning, codes),)


def _counter(index, name, meaning):
    """Name and layout of the register for ``COUNTERS[index]``."""
    return name, RegisterLayout(0x40 + 4 * index, "r", meaning, _whole(COUNTERS[index], "cycles"))


_COMMANDS = {
    Control.START: "run from pass `FIRST`; ignored unless idle or done",
    Control.CLEAR: "go back to idle from done or fault; clears status and flags",
    Control.STOP: "end the running program, in state fault, within 1,000 cycles",
    Control.LIST: "with a DMA: run the command list at `LIST`; ignored unless idle or done"}
_LAYOUTS = dict([
    ("IDENTITY", RegisterLayout(
        0x00, "const", "the letters XYMC", _whole("identity"), IDENTITY)),
    ("VERSION", RegisterLayout(
        0x04, "const", "version of this address map and of the passes", _whole("version"),
        VERSION)),
    ("GEOMETRY", RegisterLayout(0x08, "const", "parallelism and program memory", (
        Field("ways", 0, 8, "MACs per lane"), Field("passes", 8, 16, "passes")))),
    ("DEPTH", RegisterLayout(0x0C, "const", "depth of the memories", (
        Field("x_rows", 0, 16, "rows of X"), Field("y_rows", 16, 16, "rows of Y")))),
    ("CONTROL", RegisterLayout(0x10, "w", "commands", tuple(
        Field(command.name.lower(), command.value.bit_length() - 1, 1, meaning)
        for command, meaning in _COMMANDS.items()))),
    ("STATUS", RegisterLayout(0x14, "r", "state of the program, and the reason of its end", (
        Field("state", 0, 4, "", State), Field("status", 4, 4, "", Status),
        Field("field", 8, 8, "the `Count` or `Table` at fault"),
        Field("pass", 16, 16, "the pass that ended the program")))),
    ("FLAGS", RegisterLayout(0x18, "r", "sticky until a start or a clear", (
        Field("flags", 0, 2, "", Flag),))),
    ("IRQ_MASK", RegisterLayout(0x1C, "rw", "interrupt mask", (
        Field("enable", 0, 1, "done or fault raises the interrupt"),))),
    ("FIRST", RegisterLayout(0x20, "rw", "first pass of a program", (Field("first", 0, 16),))),
    ("DIALECTS", RegisterLayout(0x24, "const", "supported libraries, and the kind of core", (
        Field("dialects", 0, 8, "", Dialect), Field("engine", 8, 8, "", Engine)))),
    ("FUNCTIONS", RegisterLayout(0x28, "const", "supported codes of a pass", (
        Field("operations", 0, 16, "bit n: `Op` n"),
        Field("reductions", 16, 8, "bit n: `Reduce` n"),
        Field("adjusts", 24, 8, "bit n: `Adjust` n")))),
    ("FEATURES", RegisterLayout(0x2C, "const", "sizes of optional functions", (
        Field("held", 0, 8, "accumulators that a lane can save"),
        Field("window", 8, 8, "most rows of taps of a `SLIDE`"),
        Field("tables", 16, 1, "1: the host can write tables"),
        Field("dma", 24, 8, "data bits of the DMA, 0 without")))),
    ("BASE", RegisterLayout(0x30, "rw", "with a DMA: the image in external memory", (
        Field("base", 6, 26, "byte address / 64"),), dma=True)),
    ("SIZE", RegisterLayout(0x34, "rw", "with a DMA: size of the image", _whole(
        "size", "bytes"), dma=True)),
    ("LIST", RegisterLayout(0x38, "rw", "with a DMA: first command of the list", (
        Field("list", 5, 27, "byte offset in the image / 32"),), dma=True)),
    ("LIST_STATUS", RegisterLayout(
        0x3C, "r", "with a DMA: state of the list, and the reason of its end", (
            Field("state", 0, 4, "", State), Field("status", 4, 4, "", ListStatus),
            Field("entry", 16, 16, "the command that ended the list")), dma=True)),
    _counter(0, "CYCLES", "cycles since the start"),
    _counter(1, "ISSUED", "cycles that issued a step"),
    _counter(2, "STALL_X", "stalls: no X address was ready"),
    _counter(3, "STALL_Y", "stalls: no Y address was ready, or the port read a bias"),
    _counter(4, "DRAIN", "stalls: the output stage was busy, or a result was not written yet"),
    _counter(5, "FETCH", "stalls: no pass was ready"),
    _counter(6, "HOST", "stalls: a read of the host or of the DMA took the slot"),
    ("STALL_DMA", RegisterLayout(
        0x5C, "r", "with a DMA: those stalls of `HOST` whose slot the DMA took", _whole(
            "dma", "cycles"), dma=True)),
])

_REGIONS = {
    "REGISTERS": RegionLayout(0x000000, "rw", "registers", 32, lambda **sizes: 64),
    "PROGRAM": RegionLayout(0x010000, "w", "passes, `PASS_STRIDE` words of 64 bits each", 64,
                            lambda *, passes, **sizes: PASS_STRIDE * passes),
    "TRACE": RegionLayout(
        0x020000, "r", "records of `TRACE_STRIDE` words: the counters when the pass issued its "
        "last step; then `overflow << 31 | cycles` when its last result was written", 32,
        lambda *, passes, **sizes: TRACE_STRIDE * passes),
    "TABLES": RegionLayout(0x030000, "w", "entries of table memory, two a word", 16,
                           lambda **sizes: TABLE_ENTRIES),
    "PLACES": RegionLayout(0x040000, "w", "`Place` of every `Table` but NONE, a word each", 32,
                           lambda **sizes: len(Table)),
    "X": RegionLayout(0x100000, "rw", "memory words of X, two a word; a read of X or Y waits for a "
                      "free slot", 16,
                      lambda *, ways, x_rows, **sizes: BANKS * ways * x_rows),
    "Y": RegionLayout(0x200000, "rw", "memory words of Y, two a word", 16,
                      lambda *, ways, y_rows, **sizes: BANKS * ways * ways * y_rows),
}


def _offsets(name, text, layouts, bits):
    """Enum with the byte offsets in ``layouts``, a dict by name."""
    members = {member: layout.offset for member, layout in layouts.items()}
    return new_class(name, (enum.Enum,), {"shape": bits}, lambda space: [
        space.__setitem__(key, value) for key, value in
        {"__module__": __name__, "__doc__": text, **members}.items()])


Register = _offsets("Register", "Byte offsets of the registers in ``Region.REGISTERS``.",
                    _LAYOUTS, 8)
Region   = _offsets("Region", "Byte offsets of the regions, in a space of 4 MiB.", _REGIONS, 22)

#: Layout of every register and every region.
REGISTERS = {Register[name]: layout for name, layout in _LAYOUTS.items()}
REGIONS   = {Region[name]: layout for name, layout in _REGIONS.items()}
#: Registers of a core without a DMA.
PLAIN_REGISTERS = tuple(register for register, layout in REGISTERS.items() if not layout.dma)
