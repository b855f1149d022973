# SPDX-License-Identifier: Apache-2.0
"""C header and Python module with the register map and pass encoding, both stand-alone."""

from amaranth import Shape as AmaranthShape
from amaranth.lib import data

from xymac.hdl.core.core import Core
from xymac.hdl.entries import ENTRIES
from xymac.hdl.isa import (
    ACC_BITS,
    BACK_MAX,
    BANKS,
    BIAS_BITS,
    CELL_BITS,
    COMMAND_WORDS,
    COMMANDS_MAX,
    COUNTERS,
    ELEMENT_BITS,
    FLOOR_BITS,
    FLOOR_MAX,
    FREE_ENTRY,
    HELD,
    IDENTITY,
    PASS_STRIDE,
    PASS_WORDS,
    PLACES,
    REGISTERS,
    ROW_BYTES_MAX,
    ROWS_MAX,
    SHIFT_MAX,
    SHIFT_MIN,
    TABLE_ENTRIES,
    TRACE_STRIDE,
    VERSION,
    AccumulatorRange,
    Adjust,
    AguMode,
    Control,
    Count,
    Dialect,
    Encoded,
    Engine,
    Flag,
    ListStatus,
    Memory,
    Move,
    Op,
    Opcode,
    Place,
    Reduce,
    Region,
    Register,
    RoundMode,
    Scale,
    Shape,
    State,
    Status,
    Table,
    Width,
    pack_place,
)
from xymac.host.c.sources import read_part
from xymac.host.files.licence import LICENCE

__all__ = ["CONSTANTS", "ENUMS", "LIST_STATUS_TEXTS", "STATUS_TEXTS", "c_header", "pass_fields",
           "python_header"]

_LINE = 12  # table entries per line

CONSTANTS = {
    "IDENTITY": IDENTITY, "VERSION": VERSION, "PASS_WORDS": PASS_WORDS, "PASS_STRIDE": PASS_STRIDE,
    "TRACE_STRIDE": TRACE_STRIDE, "SHIFT_MIN": SHIFT_MIN, "SHIFT_MAX": SHIFT_MAX,
    "RESET_CYCLES": Core.RESET, "COUNTERS": len(COUNTERS), "BANKS": BANKS, "CELL_BITS": CELL_BITS,
    "ACC_BITS": ACC_BITS, "BIAS_BITS": BIAS_BITS, "ELEMENT_BITS": ELEMENT_BITS,
    "FLOOR_BITS": FLOOR_BITS, "FLOOR_MAX": FLOOR_MAX, "HELD": HELD, "BACK_MAX": BACK_MAX,
    "RECORD_PRE": 32, "RECORD_POST": 37, "TABLE_ENTRIES": TABLE_ENTRIES, "FREE_ENTRY": FREE_ENTRY,
    "NO_PLACE": pack_place(None), "COMMAND_WORDS": COMMAND_WORDS, "COMMANDS_MAX": COMMANDS_MAX,
    "ROW_BYTES_MAX": ROW_BYTES_MAX, "ROWS_MAX": ROWS_MAX,
    **{f"PLACE_{name.upper()}": field.offset for name, field in Place}}
ENUMS = (Op, Shape, Width, Memory, RoundMode, AccumulatorRange, Scale, Table, Reduce, Adjust,
         AguMode, Move, State, Status, Count, Control, Flag, Dialect, Engine, Opcode, ListStatus)
STATUS_TEXTS = {
    Status.OK:       "the program ended as it should",
    Status.OPCODE:   "the core does not have the operation, heap or table of a pass",
    Status.COUNT:    "a loop count or the number of beats is zero or too large",
    Status.SHIFT:    "the shift is too large",
    Status.WINDOW:   "a window is empty or wrong, or reaches beyond its memory",
    Status.X_ACCESS: "an access outside the window of X",
    Status.Y_ACCESS: "an access outside the window of Y, or a bias beyond the memory",
    Status.Z_ACCESS: "a write outside the window of Z",
    Status.EMPTY:    "the border leaves nothing of a window of taps",
    Status.END:      "the program has no last pass",
    Status.TABLE:    "a table has no place, or an illegal one",
    Status.STOPPED:  "the program was stopped"}
LIST_STATUS_TEXTS = {
    ListStatus.OK:      "the list ended as it should",
    ListStatus.ILLEGAL: "the format does not allow the command",
    ListStatus.OUTSIDE: "the command leads out of the image, a memory or program memory",
    ListStatus.BUS:     "the external memory answered with an error",
    ListStatus.PROGRAM: "a program ended in a fault",
    ListStatus.ENDLESS: f"the list has more than {COMMANDS_MAX} commands",
    ListStatus.STOPPED: "the list was stopped"}
NOTES = """\
A reset must last RESET_CYCLES cycles.
Registers and memories lie in a space of 4 MiB of 32-bit words, little-endian; offsets in bytes.
Field F of register R is R >> R_F_AT & R_F_MASK. X and Y hold 16-bit words, two a 32-bit word.
Pass p is 64-bit words PASS_STRIDE * p .. PASS_STRIDE * p + PASS_WORDS - 1 of PROGRAM, low half
first. For an access of base, low, high and strides: start = base - low, high = high - low, order =
bits of high, last = high - (beats - 1 for x of shape LANES, else 0), rows.start = pad of the rows *
taps[0], rows.step = step of the rows * taps[0], cols likewise with taps[1]. An empty window (low >
high) has the highest value that the field high can hold. A source without bias has bias = 0.
A Table has its lowest bits in the field table and the highest one in own, a Reduce in reduce and
ranks. Table memory: an entry is 16 bits, two a word. A word of PLACES is the entry for an element 0
<< PLACE_ZERO, half the first entry << PLACE_HALF and the last entry but one << PLACE_LAST, or
NO_PLACE; entries from FREE_ENTRY on are free.
"""


def pass_fields():
    """Encoded pass fields: ``{"x.agu.outer.0": (offset, width, signed)}``, in bits."""
    return dict(_leaves("", Encoded, 0))


def _leaves(name, shape, offset):
    if not isinstance(shape, data.Layout):
        plain = AmaranthShape.cast(shape)
        yield name, (offset, plain.width, plain.signed)
        return
    for key, member in shape:
        path = f"{name}.{key}" if name else str(key)
        yield from _leaves(path, member.shape, offset + member.offset)


def _upper(name):
    """Convert ``AguMode`` or ``x.agu.start`` to ``AGU_MODE`` or ``X_AGU_START``."""
    words = "".join(f"_{c}" if c.isupper() else c for c in name).lstrip("_")
    return words.replace(".", "_").upper()


def _sections():
    """Yield title and ``{name: value}`` for every constant group."""
    yield "Constants", CONSTANTS
    yield "Byte offsets of the regions", {f"REGION_{item.name}": item.value for item in Region}
    yield ("Byte offsets of the registers in REGION_REGISTERS",
           {f"REGISTER_{item.name}": item.value for item in Register})
    yield ("Fields of these registers: lowest bit, and mask of a value",
           {f"{register.name}_{_upper(field.name)}_{part}": value
            for register, layout in REGISTERS.items() for field in layout.fields
            if field.width < 32
            for part, value in (("AT", field.offset), ("MASK", (1 << field.width) - 1))})
    yield ("Counters: register CYCLES + 4 * n, word n of a trace record",
           {f"COUNTER_{_upper(name)}": index for index, name in enumerate(COUNTERS)})
    for kind in ENUMS:
        yield kind.__name__, {f"{_upper(kind.__name__)}_{item.name}": item.value for item in kind}


def c_header():
    """C header as text."""
    lines = [f"/* {LICENCE} */",
             "/* Register map and pass layout of the xymac core. Generated; do not edit.", " *",
             *(f" * {line}" for line in NOTES.splitlines()), " */",
             "#ifndef XYMAC_H", "#define XYMAC_H", "", "#include <stdint.h>"]
    for title, values in _sections():
        lines += ["", f"/* {title} */"]
        lines += [f"#define XYMAC_{name} {_literal(value)}" for name, value in values.items()]
    lines += ["", "/* Fields of a pass: offset and width in bits, for xymac_set_field */"]
    lines += [f"#define XYMAC_PASS_{_upper(name)} {offset}u, {width}u"
              for name, (offset, width, _) in pass_fields().items()]
    for kind, texts in ((Status, STATUS_TEXTS), (ListStatus, LIST_STATUS_TEXTS)):
        lines += ["", f"/* Sentences on the codes of {kind.__name__}, in their order */",
                  f"#define XYMAC_{_upper(kind.__name__)}_TEXTS \\",
                  ", \\\n".join(f'    "{texts[item]}"' for item in kind)]
    lines += ["", "/* Entries of the tables that every core has, from the first entry on */",
              "#define XYMAC_CORE_ENTRIES \\", _entries(" \\\n"), "",
              "/* Their places: Table, first entry, entries, the entry of them for element 0 */",
              "#define XYMAC_CORE_PLACES \\",
              ", \\\n".join(f"    {{{', '.join(map(str, place))}}}" for place in _places())]
    return "\n".join([*lines, "", _C_SET_FIELD, read_part("layouts.h"),
                      read_part("driver.h"), "#endif", ""])


def _entries(end):
    """``xymac.hdl.entries`` as comma-separated lines, joined by ``end``."""
    return end.join(f"    {', '.join(map(str, ENTRIES[start:start + _LINE]))},"
                    for start in range(0, len(ENTRIES), _LINE)).rstrip(",")


def _places():
    """Each built-in table's code, first entry, entry count and offset."""
    return [(table.value, place.first, place.entries, place.offset)
            for table, place in PLACES.items()]


def _literal(value):
    return f"({value})" if value < 0 else f"0x{value:X}u"


_C_SET_FIELD = """\
/* Set one field of a pass of XYMAC_PASS_WORDS cleared words:
 * xymac_set_field(pass, XYMAC_PASS_SHIFT, 7). The value must fit the field. */
static inline void xymac_set_field(uint64_t *pass, unsigned offset, unsigned width, int64_t value)
{
    uint64_t mask = (UINT64_C(1) << width) - 1;
    uint64_t bits = (uint64_t)value & mask;
    unsigned word = offset / 64u, low = offset % 64u;
    pass[word] = (pass[word] & ~(mask << low)) | bits << low;
    if (low + width > 64u)
        pass[word + 1u] = (pass[word + 1u] & ~(mask >> (64u - low))) | bits >> (64u - low);
}
"""

_PYTHON_PACK = '''\
def pack(fields):
    """Words of 64 bits of a pass from ``{field: value}``; missing fields are 0.

    KeyError for an unknown field, ValueError for a value that does not fit.
    """
    bits = 0
    for name, value in fields.items():
        offset, width, signed = PASS_FIELDS[name]
        low, high = (-(1 << width - 1) if signed else 0), (1 << width - signed) - 1
        if not low <= value <= high:
            raise ValueError(f"{name} must be between {low} and {high}, not {value!r}")
        bits |= (value & (1 << width) - 1) << offset
    return [bits >> 64 * word & (1 << 64) - 1 for word in range(PASS_WORDS)]
'''


def python_header():
    """Python module as text."""
    lines = [f"# {LICENCE}",
             '"""Register map and pass layout of the xymac core. Generated; do not edit.', "",
             *NOTES.splitlines(), '"""']
    for title, values in _sections():
        lines += ["", f"# {title}"]
        lines += [f"{name} = {value if value < 0 else hex(value)}"
                  for name, value in values.items()]
    lines += ["", "# Fields of a pass: offset and width in bits, signed", "PASS_FIELDS = {"]
    lines += [f'    "{name}": {field},' for name, field in pass_fields().items()]
    lines += ["}", "", "# Entries of the tables that every core has, from the first entry on",
              "CORE_ENTRIES = [", _entries("\n"), "]", "",
              "# Their places: Table, first entry, entries, the entry of them for element 0",
              f"CORE_PLACES = {_places()}"]
    return "\n".join([*lines, "", "", _PYTHON_PACK])
