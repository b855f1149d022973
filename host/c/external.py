# SPDX-License-Identifier: Apache-2.0
"""Tables for ``xymac_external.h`` from an image, and their C text."""

from dataclasses import dataclass, replace
from textwrap import wrap

import numpy as np

from xymac.hdl.config import find_size
from xymac.hdl.isa import CELL_BITS, Memory
from xymac.host.errors import InputError
from xymac.host.executable.steps import Host, Read, Write
from xymac.host.image.inputs import find_loads, is_own_array
from xymac.host.image.places import WordPlace
from xymac.host.memory.scatter import Scatter

from .listing import comment, core_fields, list_counts, list_steps, list_values
from .numbers import list_array
from .sources import fill_in, read_part
from .steps import Tabulator

__all__ = ["ExternalTables", "list_external", "tabulate_image"]

_WORD = 4  # bytes
_HALF = 2  # bytes


@dataclass(frozen=True)
class Range:
    """A value's bytes; see ``xymac_range``.

    Parameters
    ----------
    offset, bytes : int, first byte in the image, and size
    array : int or None, table index of a value copied by the driver as an array
    inverted : int, mask: bits to invert in every array byte
    loads : tuple of InputLoad, for an array readable by the core at another address
    """

    offset:   int
    bytes:    int
    array:    int | None = None
    inverted: int = 0
    loads:    tuple = ()

    def spell(self, prefix, before):
        """The C initialiser; its loads start at index ``before`` in the common table."""
        array = "NULL" if self.array is None else f"&{prefix}values[{self.array}]"
        loads = f"&{prefix}loads[{before}]" if self.loads else "NULL"
        return (f"{{{self.offset}u, {self.bytes}u, {array}, {self.inverted}, {loads}, "
                f"{len(self.loads)}u}}")


@dataclass(frozen=True)
class ExternalTables:
    """An image's tables.

    Parameters
    ----------
    tables : NetworkTables; ``load`` gives states their initial values, ``run`` writes inputs
    after : list of StepRow, output reads
    ranges : list of Range: inputs, outputs and states to read, all states
    counts : (inputs, outputs and states to read, all states)
    """

    tables: object
    after:  list
    ranges: list
    counts: tuple


def tabulate_image(image, prefix):
    """The ExternalTables of an Image; array and scale names begin with ``prefix``.

    InputError for values the driver cannot write or read, and for a constant output.
    """
    executable, places = image.executable, image.places
    made   = Tabulator(executable, prefix)
    inputs = {*range(len(executable.inputs))}
    hosts  = {step.to for step in image.before}, {step.to for step in image.after}
    used   = {number for step in image.after for number in step.values} | {*executable.outputs}
    held   = hosts[1] & {*executable.states}  # in the program's buffers
    given  = sorted((inputs | hosts[0] | held) & _moved(image))
    old    = sorted({number for step in (*image.before, *image.after) for number in step.values}
                    & {*executable.states} - held)
    taken  = sorted(used - inputs - {*executable.constants, *old} - hosts[0] - hosts[1])
    made.add_values(inputs | used | {number for step in (*image.before, *image.after)
                                     for number in (*step.values, step.to)},
                    executable.constants | {number: executable.states[number] for number in held})
    made.tables.load += [_state_row(made, places[number], first)
                         for number, first in executable.states.items()]
    arrays = {number for number in (*given, *taken)
              if is_own_array(places[number], executable.values[number].data)}
    made.tables.run  += [*(_row(made, Read, number, places) for number in old),
                         *map(made.translate, image.before),
                         *(_row(made, Write, number, places) for number in given
                           if number not in arrays)]
    after  = [*(_row(made, Read, number, places) for number in taken if number not in arrays),
              *map(made.translate, image.after), *made.copies()]
    groups = given, [*taken, *old], executable.states
    loads  = {number: tuple(find_loads(image, number)) for number in inputs & {*given} & arrays}
    ranges = [*(_range(made, places[number], number if number in arrays else None,
                       loads.get(number, ())) for number in (*given, *taken)),
              *(_range(made, places[number]) for number in (*old, *executable.states))]
    return ExternalTables(made.tables, after, ranges, tuple(map(len, groups)))


def _range(tabulator, place, number=None, loads=()):
    """The Range of a place; with ``number``, the value whose array the driver copies."""
    if number is None:
        return Range(place.offset, place.bytes)
    return Range(place.offset, place.bytes, tabulator.index_of(number), 0x80 if place.less else 0,
                 loads)


def _moved(image):
    """Value numbers in transfers or in host steps between them, a set."""
    outside = {id(step) for step in (*image.before, *image.after)}
    moved   = set()
    for step in image.executable.run:
        if isinstance(step, Write | Read):
            moved.add(step.value)
        elif isinstance(step, Host) and id(step) not in outside:
            moved |= {*step.values, step.to}
    return moved


def _row(tabulator, kind, number, places):
    """StepRow for a value's move to or from its place; ``kind`` is Write or Read."""
    place = places[number]
    if isinstance(place, WordPlace):
        layout = place.layout.at(0)
    elif 8 * place.item > CELL_BITS:
        raise InputError(f"Elements that lie one by one in an image must have 8 or {CELL_BITS} "
                         f"bits, not {8 * place.item}")
    else:
        layout = Scatter(Memory.X, 0, -(-place.bytes // _WORD) * (_WORD // _HALF),
                         8 * place.item * (1 + place.wide), place.places // place.item)
    row = tabulator.translate(kind(number, layout, less=place.less))
    return replace(row, offset=place.offset)


def _state_row(tabulator, place, first):
    """StepRow for the write of a state's initial content."""
    block  = place.encode(first.data)
    padded = np.zeros(-(-block.size // _WORD) * _WORD, np.uint8)
    padded[:block.size] = block
    return tabulator.words(place.offset, padded.view("<u4"))


def list_external(image, name):
    """C definition of an Image's ``xymac_external``, with its bytes and tables.

    ``name`` is the identifier, and the prefix for all others. InputError as ``tabulate_image``.
    """
    made   = tabulate_image(image, f"{name}_")
    tables = made.tables
    config = find_size(image.executable.size)
    return fill_in(read_part("external.c"), list_values(tables, f"{name}_") | {
        "NAME": name, "TITLE": comment(image.executable.name),
        "CONTENT": "\n".join(list_array("CONTENT_IS", "uint8_t", f"{name}_content",
                                        image.content)),
        "RESET": list_steps(tables.load), "BEFORE": list_steps(tables.run),
        "AFTER": list_steps(made.after), **_list_ranges(made, f"{name}_"),
        "CORE": core_fields(image.executable, config), "DMA": f"{config.dma}u",
        "BYTES": f"{image.content.size}u", "LISTS": f"{image.load.offset}u, {image.run.offset}u",
        "BEFORES": list_counts(tables.values, tables.load, tables.run),
        "AFTERS": list_counts(tables.values, (), made.after),
        "COUNTS": ", ".join(f"{count}u" for count in made.counts)})


def _list_ranges(made, prefix):
    """Template values for ranges and their loads; an uncounted range if there are none, because C
    has no empty arrays.
    """
    lines, loads = [], []
    for each in made.ranges:
        lines.append(f"    {each.spell(prefix, len(loads))},")
        loads += [f"{{{load.word}u, {load.first}u}}" for load in each.loads]
    table = [f"static const xymac_load {prefix}loads[] = {{", *wrap(
        ", ".join(loads), 96, initial_indent="    ", subsequent_indent="    "), "};"]
    count = made.counts[0]
    return {"RANGES": "\n".join(lines or [f"    {Range(0, 0).spell(prefix, 0)},"]),
            "LOADS": "\n".join(table) if loads else "",
            "PLACED": f"static const void *{prefix}placed[{count}];" if count else "",
            "PLACEDS": f"{prefix}placed" if count else "NULL"}
