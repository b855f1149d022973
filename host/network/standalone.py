# SPDX-License-Identifier: Apache-2.0
"""A compiled network for a core without a host: ROM and RAM contents in ``boards/soc``.

Three files. ``rom.hex`` and ``ram.hex`` are for ``$readmemh``, 32-bit words. ``memory.json`` says
where in the RAM arrays lie, in C order, little-endian::

    {"format": 1, "network": "digits_cnn", "size": "base", "rom_words": 6000, "ram_words": 40,
     "inputs": [{"name": "x", "address": 0, "shape": [1, 8, 8, 1], "type": "int8"}],
     "outputs": [{"name": "y", "address": 64, "shape": [1, 10], "type": "int8"}],
     "values": [], "states": [], "constants": [],
     "counters": [{"address": 76, "shape": [7], "type": "uint32"}]}

Addresses count bytes. ``values`` are stored between programs and ``states`` between inputs.
``counters`` are ``xymac.hdl.isa.COUNTERS`` for every program.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from xymac.golden import tflm
from xymac.hdl.config import find_size
from xymac.hdl.isa import Memory, Region
from xymac.host.errors import InputError
from xymac.host.executable.steps import COPY, Load, Read, Start, Write
from xymac.host.files import check_writable, write_file
from xymac.host.files.text import plain
from xymac.host.memory.scatter import scatter_of
from xymac.host.memory.wide import WideScatter
from xymac.host.runtime import Runtime, put_constant

from .rom import MasterOpcode, RomDevice

__all__ = ["FILES", "Standalone", "check_files", "make_standalone", "save_standalone"]

FILES  = ("rom.hex", "ram.hex", "memory.json")
FORMAT = 1
_CELL  = 2  # bytes
_WORD  = 4
_LINE  = 8  # words per file line
#: Instructions for moves of elements, and for moves that invert their highest bit.
_COPIES = {Write: (MasterOpcode.SCATTER, MasterOpcode.SCATTERX),
           Read: (MasterOpcode.GATHER, MasterOpcode.GATHERX)}
_BASES = {Memory.X: Region.X.value, Memory.Y: Region.Y.value}


@dataclass(frozen=True)
class Standalone:
    """The three files' content.

    Parameters
    ----------
    rom : list of (words, description: str), one per instruction
    ram : array of uint32
    description : the ``memory.json`` dict
    """

    rom:         list
    ram:         np.ndarray
    description: dict


class _Writer:
    """Records an Executable on a RomDevice, with values in RAM.

    Parameters
    ----------
    executable : Executable

    Attributes
    ----------
    groups : dict of value number lists, by ``memory.json`` key
    places : dict, ``memory.json`` entries by value number
    bytes : int, total size
    runs : int, programs per input
    """

    def __init__(self, executable):
        self._executable = executable
        self.runs   = sum(isinstance(step, Start) for step in executable.run)
        self.places, self.bytes = {}, 0
        inputs      = list(range(len(executable.inputs)))
        states      = list(executable.states)
        constants   = list(executable.constants)
        known       = {*inputs, *executable.outputs, *states, *constants}
        self.groups = {"inputs": inputs, "outputs": list(executable.outputs),
                       "values": [number for number in executable.values if number not in known],
                       "states": states, "constants": constants}
        names = {**dict(enumerate(executable.input_names)),
                 **dict(zip(executable.outputs, executable.output_names, strict=True))}
        for numbers in self.groups.values():
            for number in numbers:
                if number not in self.places:
                    self.places[number] = self._place(names.get(number, f"value {number}"),
                                                      executable.values[number].data)

    def _place(self, name, data):
        """Allocate an array in RAM; returns its entry."""
        address = self.bytes
        self.bytes += -(-data.nbytes // _WORD) * _WORD
        return {"name": name, "address": address, "shape": list(data.shape),
                "type": data.dtype.name}

    def contents(self, inputs):
        """(number, array) for each initial value in RAM."""
        yield from enumerate(inputs)
        for held in (self._executable.states, self._executable.constants):
            yield from ((number, value.data) for number, value in held.items())

    def write(self, device):
        """Record everything: initial steps, a pause, and the steps per input."""
        device.check_core()
        self._clear(device)
        Runtime(self._executable, device).load()
        device.pause()
        start = device.size
        for step in self._executable.run:
            self._note(device, step)
        device.pause(start)

    def _clear(self, device):
        """Write zeros where 8-bit results will be read.

        A four-state simulator reads a word as unknown if any byte in it was never written.
        """
        for step in self._executable.run:
            if isinstance(step, Read) and step.layout.bits == 8:
                device.write_cells(step.layout.memory, step.layout.first_cell,
                                   np.zeros(step.layout.count, np.uint16))

    def _note(self, device, step):
        """Record a run step."""
        if isinstance(step, Load):
            put_constant(device, step, self._executable.arrays)
        elif isinstance(step, Start):
            device.run()
        elif isinstance(step, Write):
            self._write(device, step)
        elif isinstance(step, Read):
            scatter = scatter_of(step.layout, writes=False)
            self._copy(device, step, scatter, scatter.places, self._units(step, scatter))
        else:
            self._compute(device, step)

    def _write(self, device, step):
        if isinstance(step.layout, WideScatter):
            raise InputError(f"{self._executable.name} has states among its constants, which a bus "
                             f"master cannot write")
        scatter = scatter_of(step.layout, writes=True)
        units   = self._units(step, scatter)
        cells   = np.zeros(scatter.count, np.uint16)
        taken   = scatter.places >= 0
        if scatter.takes is not None:
            takes   = scatter.takes
            units   = units[takes]
            outside = scatter.places[taken & (takes < 0)]
            cells.view(f"int{scatter.unit_bits}")[outside] = scatter.fill
            taken  &= takes >= 0
        device.write_cells(scatter.memory, scatter.first_cell, cells)
        self._copy(device, step, scatter, scatter.places[taken], units[taken])

    def _units(self, step, scatter):
        """Indices of the units that a step moves, in order; see ``Scatter``."""
        data = self._executable.values[step.value].data
        return scatter.units(np.arange(data.size).reshape(data.shape)[step.part].reshape(-1))

    def _copy(self, device, step, scatter, places, units):
        """Record the moves of a value's ``units`` from or to ``places``."""
        item   = scatter.unit_bits // 8
        first  = _BASES[scatter.memory] + _CELL * scatter.first_cell
        entry  = self.places[step.value]
        pairs  = np.stack([first + item * places, entry["address"] + item * units], axis=1)
        is_inverted = scatter.are_inverted(units) | step.less
        for opcode, chosen in zip(_COPIES[type(step)], (~is_inverted, is_inverted), strict=True):
            device.copy(opcode, pairs[chosen], item, entry["name"])

    def _compute(self, device, step):
        kernel = step.kernel
        if isinstance(kernel, tflm.Quantize | tflm.Dequantize):
            raise InputError(f"{self._executable.name} has inputs or outputs in floating point, "
                             f"which a bus master cannot convert: give it a network whose inputs "
                             f"and outputs are integers")
        if kernel != COPY or step.part:
            name = kernel if isinstance(kernel, str) else type(kernel).__name__
            raise InputError(f"{self._executable.name} has a layer {name} that the host computes, "
                             f"which a bus master cannot")
        self._copy_value(device, *step.values, step.to)

    def _copy_value(self, device, source, target):
        """Copy a value through X memory, which is unused during such a step."""
        data = self._executable.values[target].data
        room = device.config.x_bytes // data.itemsize * data.itemsize
        for start in range(0, data.nbytes, room):
            offsets = np.arange(start, min(start + room, data.nbytes), data.itemsize)
            for opcode, number in ((MasterOpcode.SCATTER, source), (MasterOpcode.GATHER, target)):
                ram = self.places[number]["address"]
                device.copy(opcode, np.stack([_BASES[Memory.X] + offsets - start, ram + offsets],
                                             axis=1), data.itemsize, self.places[target]["name"])


def make_standalone(executable, inputs):
    """An Executable's Standalone, with the arrays ``inputs`` in its RAM.

    InputError for a network with host-computed layers.
    """
    writer = _Writer(executable)
    device = RomDevice(find_size(executable.size), writer.bytes)
    writer.write(device)
    ram = np.zeros(writer.bytes + writer.runs * device.counter_bytes, np.uint8)
    for number, data in writer.contents(inputs):
        start = writer.places[number]["address"]
        ram[start:start + data.nbytes] = np.frombuffer(data.tobytes(), np.uint8)
    description = {
        "format": FORMAT, "network": executable.name, "size": executable.size,
        "rom_words": device.size, "ram_words": ram.size // _WORD,
        **{group: [writer.places[number] for number in numbers]
           for group, numbers in writer.groups.items()},
        "counters": [{"address": writer.bytes + index * device.counter_bytes,
                      "shape": [device.counter_bytes // _WORD], "type": "uint32"}
                     for index in range(writer.runs)]}
    return Standalone(device.instructions, ram.view("<u4"), description)


def check_files(folder):
    """Raise InputError unless the files can be written to ``folder``, if it exists."""
    for name in FILES if Path(folder).is_dir() else ():
        check_writable(Path(folder) / name)


def save_standalone(folder, standalone):
    """Write the three files to ``folder``; InputError on failure."""
    rom, ram, text = (Path(folder) / name for name in FILES)
    write_file(rom, _hex(standalone.rom))
    write_file(ram, _hex(_pieces(standalone)))
    write_file(text, json.dumps(standalone.description, indent=1) + "\n")


def _pieces(standalone):
    """(words, description) for every array in RAM, by address."""
    content = standalone.description
    entries = [*(entry for group in ("inputs", "outputs", "values", "states")
                 for entry in content[group]),
               *({"name": "counters"} | entry for entry in content["counters"])]
    starts  = {entry["address"] // _WORD: entry for entry in entries}
    ends    = [*sorted(starts)[1:], len(standalone.ram)]
    for start, end in zip(sorted(starts), ends, strict=True):
        entry = starts[start]
        shape = "x".join(map(str, entry["shape"])) or "scalar"
        yield standalone.ram[start:end].tolist(), (
            f"{entry['name']}: {entry['type']} {shape} at byte 0x{_WORD * start:X}")


def _hex(pieces):
    """$readmemh text for (words, description) pairs."""
    lines = []
    for words, what in pieces:
        lines.append(f"// {plain(what)}")
        lines += [" ".join(f"{word:08X}" for word in words[start:start + _LINE])
                  for start in range(0, len(words), _LINE)]
    return "\n".join([*lines, ""])
