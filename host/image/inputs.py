# SPDX-License-Identifier: Apache-2.0
"""Inputs that a command list can read anywhere in external memory: the commands that say where."""

from dataclasses import dataclass

from xymac.hdl.isa import CELL_BITS, COMMAND_BYTES, Opcode

from .places import ElementPlace

__all__ = ["InputLoad", "find_loads", "is_own_array"]

_OFFSET = 8  # byte of the offset in a command


@dataclass(frozen=True)
class InputLoad:
    """A LOAD of an array's bytes from ``first`` on; ``word`` is the byte in the image at which its
    command has their offset.
    """

    word:  int
    first: int


def is_own_array(place, data):
    """Whether a place has the bytes of an array like ``data`` of 8 or 16 bits."""
    return (isinstance(place, ElementPlace) and place.is_array and place.bytes == data.nbytes
            and 8 * place.item <= CELL_BITS)


def find_loads(image, number):
    """List of InputLoad for the value ``number`` of an Image: all transfers of its array.

    The list is empty if the array must lie in its place: if the place has other bytes than the
    array, if the user also reads or writes it as another value, or if a transfer writes it.
    """
    place = image.places[number]
    if place.less or not is_own_array(place, image.executable.values[number].data):
        return []
    if any(other != number and each.offset == place.offset
           for other, each in image.places.items() if other in _told(image)):
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


def _told(image):
    """Numbers of values that the user or a host step reads or writes."""
    executable, told = image.executable, set()
    for step in (*image.before, *image.after):
        told |= {*step.values, step.to}
    return told | {*range(len(executable.inputs)), *executable.outputs, *executable.states}


def _bytes_of(command):
    """A command's first byte in the image and the byte behind its last; (0, 0) without any."""
    if command.opcode not in (Opcode.LOAD, Opcode.STORE):
        return 0, 0
    ends = command.offset, command.offset + (command.rows - 1) * command.stride
    return min(ends), max(ends) + command.row_bytes
