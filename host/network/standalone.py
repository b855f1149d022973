# SPDX-License-Identifier: Apache-2.0
"""A compiled network for a core without a host: what ROM and RAM of ``boards/soc`` hold.

Three files. ``rom.hex`` and ``ram.hex`` are for ``$readmemh``, words of 32 bits. ``memory.json``
says where in the RAM arrays lie, in C order, little-endian::

    {"format": 1, "network": "digits_cnn", "size": "base", "rom_words": 6000, "ram_words": 40,
     "inputs": [{"name": "x", "address": 0, "shape": [1, 8, 8, 1], "type": "int8"}],
     "outputs": [{"name": "y", "address": 64, "shape": [1, 10], "type": "int8"}],
     "values": [], "states": [], "constants": [],
     "counters": [{"address": 76, "shape": [7], "type": "uint32"}]}

Addresses count bytes. ``values`` lie there between two programs and ``states`` from one input to
the next; an array with a key ``less`` has uint8 less 128, which is int8; ``counters`` are those of
``xymac.hdl.isa.COUNTERS``, of every program.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from xymac.hdl.config import find_size
from xymac.hdl.isa import Memory, Region
from xymac.host.errors import InputError
from xymac.host.files import check_writable, write_file
from xymac.host.files.text import plain

from .driver import Driver, slices_of
from .rom import Opcode, RomDevice

__all__ = ["FILES", "Standalone", "check_files", "make_standalone", "save_standalone"]

FILES  = ("rom.hex", "ram.hex", "memory.json")
FORMAT = 1
_CELL  = 2  # bytes
_WORD  = 4
_LINE  = 8  # words of a line of a file
_BASES = {Memory.X: Region.X.value, Memory.Y: Region.Y.value}


@dataclass(frozen=True)
class Standalone:
    """What the three files hold.

    Parameters
    ----------
    rom : list of (words, what it is: str), one an instruction
    ram : array of uint32
    description : dict of ``memory.json``
    """

    rom:         list
    ram:         np.ndarray
    description: dict


class _Writer(Driver):
    """Does to a RomDevice what a driver does to a device, with values that lie in the RAM.

    Parameters
    ----------
    compiled : Compiled

    Attributes
    ----------
    groups : dict of lists of numbers of values, by the keys of ``memory.json``
    places : dict of entries of ``memory.json`` by these numbers
    bytes : int, of all of them
    runs : int, programs that run for an input
    """

    def __init__(self, compiled):
        super().__init__(compiled)
        self.runs   = [step["do"] for step in self._run].count("start")
        self.places, self.bytes = {}, 0
        inputs      = list(range(len(self.inputs)))
        states      = list(self._first_states)
        constants   = list(self._constants)
        known       = {*inputs, *self.outputs, *states, *constants}
        self.groups = {"inputs": inputs, "outputs": list(self.outputs),
                       "values": [number for number in self.values if number not in known],
                       "states": states, "constants": constants}
        names = {**dict(enumerate(self.input_names)),
                 **dict(zip(self.outputs, self.output_names, strict=True))}
        for numbers in self.groups.values():
            for number in numbers:
                if number not in self.places:
                    self.places[number] = self._place(names.get(number, f"value {number}"),
                                                      self.values[number].data)

    def _place(self, name, data):
        """Entry of an array in the RAM, behind what is there."""
        address = self.bytes
        self.bytes += -(-data.nbytes // _WORD) * _WORD
        entry = {"name": name, "address": address, "shape": list(data.shape)}
        return entry | ({"type": "int8", "less": 128} if self._is_less(data)
                        else {"type": data.dtype.name})

    def _is_less(self, data):
        """Whether an array lies in the RAM as in the core, less 128."""
        return bool(self.numbers) and data.dtype == np.uint8

    def contents(self, inputs):
        """(number, array) of the values that lie in the RAM at first."""
        for number, data in enumerate(inputs):
            yield number, data ^ 0x80 if self._is_less(data) else data
        for held in (self._first_states, self._constants):
            yield from ((number, value.data) for number, value in held.items())

    def write(self, device):
        """Note everything: what is done once, a pause, and what is done for every input."""
        device.check_core()
        self._clear(device)
        self.load(device)
        device.pause()
        start = device.size
        self._do_all(device, self._run, {})
        device.pause(start)

    def _clear(self, device):
        """Write zeros where results of 8 bits will be read: of a cell with a byte that nobody has
        written, a simulator with four states reads no bit."""
        for step in self._run:
            if step["do"] == "read" and self.values[step["value"]].data.itemsize == 1:
                device.write_cells(Memory[step["memory"]], step["first"],
                                   np.zeros(step["cells"], np.uint16))

    def _do_write(self, device, step, held):
        places  = self._arrays[step["places"]]
        sources = self._sources(step)
        data    = self.values[step["value"]].data
        cells   = np.zeros(step["cells"], np.uint16)
        taken   = places >= 0
        if "takes" in step:
            takes   = self._arrays[step["takes"]]
            sources = sources[takes]
            cells.view(data.dtype)[places[taken & (takes < 0)]] = step["fill"]
            taken  &= takes >= 0
        device.write_cells(Memory[step["memory"]], step["first"], cells)
        self._copy(device, Opcode.SCATTER, step, places[taken], sources[taken])

    def _do_read(self, device, step, held):
        self._copy(device, Opcode.GATHER, step, self._arrays[step["places"]], self._sources(step))

    def _sources(self, step):
        """Byte addresses in the RAM of the elements that a step moves, in their order."""
        data    = self.values[step["value"]].data
        numbers = np.arange(data.size).reshape(data.shape)[slices_of(step)].reshape(-1)
        return self.places[step["value"]]["address"] + data.itemsize * numbers

    def _copy(self, device, opcode, step, places, sources):
        item = self.values[step["value"]].data.itemsize
        core = _BASES[Memory[step["memory"]]] + _CELL * step["first"] + item * places
        name = self.places[step["value"]]["name"]
        device.copy(opcode, np.stack([core, sources], axis=1), item, name)

    def _do_copy(self, device, step, held):
        """Elements go through X memory, which holds nothing when a step like this has its turn."""
        [source, target] = (self.places[step[key]]["address"] for key in ("value", "to"))
        data = self.values[step["to"]].data
        room = device.config.x_bytes // data.itemsize * data.itemsize
        for start in range(0, data.nbytes, room):
            offsets = np.arange(start, min(start + room, data.nbytes), data.itemsize)
            for opcode, ram in ((Opcode.SCATTER, source), (Opcode.GATHER, target)):
                device.copy(opcode, np.stack([_BASES[Memory.X] + offsets - start, ram + offsets],
                                             axis=1), data.itemsize,
                            self.places[step["to"]]["name"])

    def _do_quantise(self, device, step, held):
        raise InputError(f"{self.name} has inputs or outputs in floating point, which a bus master "
                         f"cannot convert: give it a network whose inputs and outputs are integers")

    _do_dequantise = _do_quantise

    def _do_compute(self, device, step, held):
        raise InputError(f"{self.name} has a layer {step['kernel']} that the host computes, which "
                         f"a bus master cannot")


def make_standalone(compiled, inputs):
    """The Standalone of a Compiled, with the arrays ``inputs`` in its RAM.

    InputError for a network that needs a host to compute.
    """
    writer = _Writer(compiled)
    device = RomDevice(find_size(writer.size), writer.bytes)
    writer.write(device)
    ram = np.zeros(writer.bytes + writer.runs * device.counter_bytes, np.uint8)
    for number, data in writer.contents(inputs):
        start = writer.places[number]["address"]
        ram[start:start + data.nbytes] = np.frombuffer(data.tobytes(), np.uint8)
    description = {
        "format": FORMAT, "network": writer.name, "size": writer.size, "rom_words": device.size,
        "ram_words": ram.size // _WORD,
        **{group: [writer.places[number] for number in numbers]
           for group, numbers in writer.groups.items()},
        "counters": [{"address": writer.bytes + index * device.counter_bytes,
                      "shape": [device.counter_bytes // _WORD], "type": "uint32"}
                     for index in range(writer.runs)]}
    return Standalone(device.instructions, ram.view("<u4"), description)


def check_files(folder):
    """Raise InputError unless the files can be written to ``folder``, if that is there."""
    for name in FILES if Path(folder).is_dir() else ():
        check_writable(Path(folder) / name)


def save_standalone(folder, standalone):
    """Write the three files to ``folder``; InputError if that is impossible."""
    rom, ram, text = (Path(folder) / name for name in FILES)
    write_file(rom, _hex(standalone.rom))
    write_file(ram, _hex(_pieces(standalone)))
    write_file(text, json.dumps(standalone.description, indent=1) + "\n")


def _pieces(standalone):
    """(words, what it is) of every array in the RAM, by address."""
    content = standalone.description
    entries = [*(entry for group in ("inputs", "outputs", "values", "states")
                 for entry in content[group]),
               *({"name": "counters"} | entry for entry in content["counters"])]
    starts  = {entry["address"] // _WORD: entry for entry in entries}
    ends    = [*sorted(starts)[1:], len(standalone.ram)]
    for start, end in zip(sorted(starts), ends, strict=True):
        entry = starts[start]
        shape = "x".join(map(str, entry["shape"]))
        yield standalone.ram[start:end].tolist(), (
            f"{entry['name']}: {entry['type']} {shape} at byte 0x{_WORD * start:X}")


def _hex(pieces):
    """Text for $readmemh of (words, what it is)."""
    lines = []
    for words, what in pieces:
        lines.append(f"// {plain(what)}")
        lines += [" ".join(f"{word:08X}" for word in words[start:start + _LINE])
                  for start in range(0, len(words), _LINE)]
    return "\n".join([*lines, ""])
