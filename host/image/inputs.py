# SPDX-License-Identifier: Apache-2.0
"""Inputs that a command list can read at any external address: commands with this address."""

from dataclasses import dataclass

from xymac.hdl.isa import CELL_BITS, COMMAND_BYTES, Opcode

from .places import ElementPlace

__all__ = ["InputLoad", "find_loads", "is_own_array"]

_OFFSET = 8  # byte of the offset in a command


@dataclass(frozen=True)
class InputLoad:
    """A LOAD command that reads an input array.

    Parameters
    ----------
    word : int, image offset of the command word with the source offset, bytes
    first : int, first byte of the array that the command reads
    """

    word:  int
    first: int


def is_own_array(place, data):
    """Whether a place stores an 8-bit or 16-bit array like ``data`` in C order."""
    return (isinstance(place, ElementPlace) and place.is_array and place.bytes == data.nbytes
            and 8 * place.item <= CELL_BITS)


def find_loads(image, number):
    """The InputLoads of value ``number`` of an Image: all transfers of its array, a list.

    Empty if the array must stay at its place in the image: if the place stores other bytes than the
    array, if it is also the place of another public value, or if a transfer writes it.
    """
    place = image.places[number]
    if place.less or not is_own_array(place, image.executable.values[number].data):
        return []
    if any(other != number and each.offset == place.offset
           for other, each in image.places.items() if other in _public(image)):
        return []
    end   = place.offset + place.bytes
    loads = []
    for commands in (image.load, image.run):
        for index, command in enumerate(commands.commands):
            low, high = _bytes_of(command)
            if high <= place.offset or end <= low:
                continue
            if (command.opcode is not Opcode.LOAD or low < place.offset or end < high
                    or commands is image.load):
                return []
            loads.append(InputLoad(commands.offset + COMMAND_BYTES * index + _OFFSET,
                                   command.offset - place.offset))
    return loads


def _public(image):
    """Numbers of the values that the user or a host step reads or writes, a set."""
    executable, public = image.executable, set()
    for step in (*image.before, *image.after):
        public |= {*step.values, step.to}
    return public | {*range(len(executable.inputs)), *executable.outputs, *executable.states}


def _bytes_of(command):
    """(first byte, end) of a command's transfer in the image; (0, 0) without a transfer."""
    if command.opcode not in (Opcode.LOAD, Opcode.STORE):
        return 0, 0
    ends = command.offset, command.offset + (command.rows - 1) * command.stride
    return min(ends), max(ends) + command.row_bytes
