# SPDX-License-Identifier: Apache-2.0
"""Build an executable's image."""

from dataclasses import replace
from functools import partial

import numpy as np

from xymac.hdl.isa import COMMAND_BYTES, COMMANDS_MAX
from xymac.host.errors import InputError
from xymac.host.executable.steps import Read, Write

from .cycles import cycles_of, predict_list, start_times
from .hazards import find_needs
from .host_steps import split_steps
from .image import Image, List
from .memory_map import MemoryMap
from .order import interleave, order_entries
from .places import ElementPlace
from .prepare.resident import keep_tables
from .prepare.shorter import shorten_programs
from .space import Space
from .translate import Translation
from .values import choose_place, find_shared

__all__ = ["build_image", "build_unchanged"]

_SHARES = 1, 4, 32  #: Parts of Y, at most one of them for the constants of a program.
#: Parts of a layer that waits for its input or whose output is awaited, see ``shorten_programs``.
_TILES  = (12, 12), (4, 4), (8, 1), (4, 1)
_LATE   = 300       #: Cycles of waiting that are worth such tiles.


def build_image(executable, config, memory, *, arrays=False):
    """The Image of an Executable for a CoreConfig with a DMA.

    The function builds images with unchanged and with shorter programs, and returns the image with
    the fewest predicted cycles on ``memory``, an ExternalMemory. With ``arrays``, the user's values
    are C-order arrays wherever transfers can arrange them, at any cost. InputError for a network
    with a host computation between programs, or with values that no transfer can arrange.
    """
    choose = _remember(partial(choose_place, name=executable.name, config=config, memory=memory))
    shares = [share for share in _SHARES if share == 1 or shorten_programs(
        executable, config, config.y_rows // share) is not executable]
    forms  = [(share, ends) for share in shares for ends in (False, True)[:len(shares)]]

    def build(share, ends, tiles=None, ahead=False, late=()):
        """(Predicted ListCycles, the first of the arguments, Image)."""
        made  = shorten_programs(executable, config, config.y_rows // share, tiles, late)
        image = build_unchanged(made, config, memory, ends=ends, ahead=ahead, arrays=arrays,
                                choose=choose)
        return predict_list(image.run.ordered, config, memory), (share, ends, tiles), image

    built = [build(*form) for form in forms]
    best  = min(built, key=_cycles)
    late  = {number for number, idle in enumerate(built[0][0].idle) if idle > _LATE}
    if late:
        best = min([best, *(build(*best[1][:2], tiles, late=late) for tiles in _TILES)],
                   key=_cycles)
    if len(forms) > 1:  # constants change
        best = min(best, build(*best[1], ahead=True, late=late), key=_cycles)
    return best[-1]


def _cycles(built):
    predicted, *_ = built
    return predicted.cycles


def _remember(choose):
    """``choose``, which searches a place once for all Shared values with equal accesses."""
    known = {}

    def choose_once(shared, *, arrays):
        key = arrays, shared.key
        if key not in known:
            known[key] = choose(shared, arrays=arrays)
        return known[key]

    return choose_once


def build_unchanged(executable, config, memory, *, ends=False, ahead=False, arrays=False,
                    choose=None):
    """The ``build_image`` Image with the Executable's programs unchanged.

    ``ends`` and ``ahead`` as in ``Translation``, ``arrays`` as in ``build_image``; ``choose`` is
    the function from a Shared and ``arrays`` to its place, by default ``choose_place``.
    """
    parts    = split_steps(executable)
    contents = MemoryMap()
    choose   = choose or partial(choose_place, name=executable.name, config=config, memory=memory)
    places   = _place_values(executable, parts, choose, contents, arrays)
    made     = Translation(executable, parts, config, contents, places, ends=ends,
                           ahead=ahead)
    space    = Space(config)
    lists    = [_order(entries, space, contents, config, memory)
                for entries in keep_tables(made.load, made.run, space, contents.content())]
    offsets  = [contents.add(np.zeros(COMMAND_BYTES * (len(each.entries) + 1), np.uint8))
                for each in lists]
    content  = contents.content()
    load, run = (List(offset, each) for offset, each in zip(offsets, lists, strict=True))
    for each in (load, run):
        words = np.array([command.encode() for command in each.commands], "<u4").view(np.uint8)
        content[each.offset:each.offset + words.size] = words.ravel()
    return Image(executable, content, load, run, places, tuple(parts.before), tuple(parts.after))


def _order(entries, space, contents, config, memory):
    if len(entries) >= COMMANDS_MAX:
        raise InputError(f"A command list has at most {COMMANDS_MAX} commands, not "
                         f"{len(entries) + 1}")
    needs = find_needs(entries, space, contents.size)
    ordered = order_entries(entries, needs, cycles_of(entries, config, memory))
    return min(interleave(ordered, start_times(ordered, config, memory)),
               key=lambda each: predict_list(each, config, memory).cycles)


def _place_values(executable, parts, choose, contents, arrays):
    """Add all values of transfers and of the user to the image; returns their places by number.

    ``choose`` and ``arrays`` as in ``build_unchanged``.
    """
    values = {number: value.data for number, value in executable.values.items()}
    first  = executable.states | executable.constants
    public = {*range(len(executable.inputs)), *executable.outputs}
    for step in (*parts.before, *parts.after):
        public |= {*step.values, step.to}
    accesses = [step for step in parts.steps if isinstance(step, Write | Read)]
    groups   = find_shared(values, parts.copies, accesses, public)
    chosen   = _choose_alike(groups, choose, [*parts.first, *parts.last], arrays)
    if chosen is None:
        raise InputError(f"{executable.name} copies a state to a value in another layout, which a "
                         f"command list cannot do")
    places   = {}
    for shared, place in zip(groups, chosen, strict=True):
        places |= dict.fromkeys(shared.numbers, _add_place(place, shared, first, contents))
    return places


def _choose_alike(groups, choose, apart, arrays):
    """A place per Shared of ``groups``; None if values of a pair of ``apart`` must lie differently.

    Where the fastest places of a pair differ, both values become arrays.
    """
    index  = {number: index for index, shared in enumerate(groups) for number in shared.numbers}
    pairs  = [(index[source], index[target]) for source, target in apart]
    chosen = [choose(shared, arrays=arrays) for shared in groups]
    for _ in pairs:  # an array may differ from the other value of another pair
        for each in {each for pair in pairs if not _is_alike(*(chosen[one] for one in pair))
                     for each in pair}:
            chosen[each] = choose(replace(groups[each], public=True), arrays=True)
    if all(_is_alike(*(chosen[one] for one in pair)) for pair in pairs):
        return chosen
    return None


def _add_place(place, shared, first, contents):
    """Add the values' initial content to the image; returns the place with its offset there."""
    known = [first[number].data for number in shared.numbers if number in first]
    block = (place.encode(known[0].reshape(shared.blank.shape)) if known
             else np.zeros(place.bytes, np.uint8))
    return replace(place, offset=contents.add(block))


def _is_alike(one, other):
    """Whether a copy of the bytes is a copy of the value."""
    if isinstance(one, ElementPlace) and isinstance(other, ElementPlace):
        return (one.less, one.wide, one.bytes) == (other.less, other.wide, other.bytes) and (
            np.array_equal(one.places, other.places))
    return type(one) is type(other) and replace(one, offset=0, layout=one.layout.at(0)) == replace(
        other, offset=0, layout=other.layout.at(0))
