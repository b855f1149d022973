"""The microprogram of the compact core, put together: what ``isa`` says of programs."""

from hdl.entries import ENTRIES, FIRST
from hdl.isa import TABLES

from .assembler import Assembler
from .fields import check, load
from .loops import loops
from .names import GROUPS, PLACES, TRIPLES, VARIABLES
from .output import finish, look_up, output
from .prepare import prepare, prepare_output
from .program_control import boot, commands, end_of_pass, invert, stop
from .records import records
from .taps import map_address, taps
from .watch import watch

__all__ = ["CODE", "CONSTANTS", "STOPPED", "TABLE_ROM", "assemble"]


def _table_rom():
    """All entries, then for each table what leads from an element to its place, and the places of
    the first and of the last entry but one."""
    rom = ENTRIES + [0] * (PLACES - len(ENTRIES))
    for table, first in FIRST.items():
        samples = TABLES.get(table)
        rom += [first + samples.offset, first, first + len(samples.values) - 2, 0] \
            if samples else [0] * 4
    return rom


def assemble():
    """The parts in the order in which they lie; each goes on into the next, or ends elsewhere."""
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
