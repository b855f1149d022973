# SPDX-License-Identifier: Apache-2.0
"""The compact core's microprogram: code, constants and table ROM."""

from xymac.hdl.config import COMPACT
from xymac.hdl.entries import ENTRIES, FIRST
from xymac.hdl.isa import TABLES

from .assembler import Assembler
from .fields import check, load
from .loops import loops
from .names import GROUPS, HALF, PAGE_CELLS, PLACES, RESET_VALUES, TRIPLES, VARIABLES
from .output import finish, look_up, output
from .prepare import prepare, prepare_output
from .program_control import boot, commands, end_of_pass, invert, stop
from .records import records
from .taps import map_address, taps
from .watch import watch

__all__ = ["CODE", "CONSTANTS", "STOPPED", "TABLE_ROM", "assemble"]


def _table_rom():
    """All table entries, a descriptor for every table, and the register page at reset.

    A descriptor holds three indices: entry for element 0, first entry, last entry minus 1.
    """
    rom = ENTRIES + [0] * (PLACES - len(ENTRIES))
    for table, first in FIRST.items():
        samples = TABLES.get(table)
        rom += [first + samples.offset, first, first + len(samples.values) - 2, 0] \
            if samples else [0] * 4
    page = [0] * PAGE_CELLS
    for offset, word in COMPACT.capabilities.words().items():
        page[offset // 2:offset // 2 + 2] = _signed(word & 0xFFFF), _signed(word >> HALF)
    return rom[:RESET_VALUES] + [0] * (RESET_VALUES - len(rom)) + page


def _signed(half):
    """Half-word as a signed table entry."""
    return half - (half >> HALF - 1 << HALF)


def assemble():
    """Assemble all parts in address order.

    A part either continues into the next part or ends with a branch.
    """
    program = Assembler((*VARIABLES, *GROUPS, *TRIPLES), triples=TRIPLES)
    for part in (boot, commands, load, check, prepare, prepare_output, loops, taps, output, finish,
                 look_up, map_address, records, end_of_pass, invert, watch, stop):
        part(program)
    return program


_PROGRAM  = assemble()
CODE      = _PROGRAM.words()
STOPPED   = _PROGRAM.place("stopped")
CONSTANTS = _PROGRAM.constants
TABLE_ROM = _table_rom()
