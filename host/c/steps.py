# SPDX-License-Identifier: Apache-2.0
"""An executable's steps as ``xymac_network.h`` tables."""

from dataclasses import dataclass, field

import numpy as np

from xymac.golden import tflm
from xymac.hdl.isa import (
    CELL_BITS,
    PASS_STRIDE,
    PLACES,
    TABLES,
    Memory,
    Region,
    TablePlace,
    pack_place,
)
from xymac.host.errors import InputError
from xymac.host.executable.steps import COPY, Host, Load, Read, Start, Write
from xymac.host.memory.layout import LOW_OFFSET
from xymac.host.memory.scatter import scatter_of
from xymac.host.memory.wide import WideScatter

from .paths import FILL, ZERO, encode_path

__all__ = ["NetworkTables", "StepRow", "Tabulator", "Value", "tabulate"]

_WORD     = 4  # bytes
_REGIONS  = {Memory.X: Region.X.value, Memory.Y: Region.Y.value}
_TYPES    = {"int8": "INT8", "uint8": "UINT8", "int16": "INT16", "int32": "INT32",
             "float32": "FLOAT"}


@dataclass(frozen=True)
class Value:
    """A value in host memory; see ``xymac_value``.

    Parameters
    ----------
    type : str, element type such as INT8
    place : str, BUFFER, INPUT or OUTPUT
    number : int, input or output number
    count : int, elements
    first : array or None, initial state content
    """

    type:   str
    place:  str
    number: int
    count:  int
    first:  np.ndarray | None = None


@dataclass(frozen=True)
class StepRow:
    """A step; see ``xymac_step``. ``data`` names an array or a scale, or is None."""

    kind:   str
    value:  int = 0
    to:     int = 0
    offset: int = 0
    count:  int = 0
    fill:   int = 0
    data:   str | None = None

    @property
    def is_scaled(self):
        """Whether its data are a scale."""
        return self.kind in ("QUANTISE", "REQUANTISE", "DEQUANTISE")


@dataclass
class NetworkTables:
    """All network tables.

    Parameters
    ----------
    values : list of Value
    load, run : lists of StepRow
    arrays : dict, uint32 or int32 arrays by name
    scales : dict, (scale, zero, from_zero, multiplier, exponent) by name
    """

    values: list = field(default_factory=list)
    load:   list = field(default_factory=list)
    run:    list = field(default_factory=list)
    arrays: dict = field(default_factory=dict)
    scales: dict = field(default_factory=dict)


def tabulate(executable, prefix=""):
    """The NetworkTables of an Executable; array and scale names begin with ``prefix``.

    InputError for an output without a writing step.
    """
    made = Tabulator(executable, prefix)
    made.add_values(executable.values, executable.states | executable.constants)
    for table in executable.tables:
        made.add_table(table)
    made.tables.load += map(made.translate, executable.load)
    made.tables.run  += [*map(made.translate, executable.run), *made.copies()]
    return made.tables


class Tabulator:
    """Makes an Executable's NetworkTables.

    Parameters
    ----------
    executable : Executable
    prefix : str, prefix of array and scale names

    Attributes
    ----------
    tables : NetworkTables, filled by the methods and by the caller
    """

    def __init__(self, executable, prefix):
        self._executable, self._prefix = executable, prefix
        self._names  = {}  # array names by content
        self.tables  = NetworkTables()
        self._places = {}  # table indices by value number

    def add_values(self, numbers, contents):
        """Add the values with the ``numbers``; ``contents`` has initial Arrays by number.

        InputError for an element type unknown to the driver.
        """
        executable, outputs = self._executable, {}
        for number, value in enumerate(executable.outputs):
            outputs.setdefault(value, number)
        for number in sorted(numbers):
            value = executable.values[number]
            place, which = ("INPUT", number) if number < len(executable.inputs) else (
                "OUTPUT", outputs[number]) if number in outputs else ("BUFFER", 0)
            self._places[number] = len(self.tables.values)
            kind = value.data.dtype.name
            if kind not in _TYPES:
                raise InputError(f"The driver in C has values of {', '.join(_TYPES)}, not {kind}")
            self.tables.values.append(Value(
                _TYPES[kind], place, which, value.data.size,
                contents[number].data if number in contents else None))

    def index_of(self, number):
        """Table index of value ``number``."""
        return self._places[number]

    def copies(self):
        """Yield copies of outputs which are also inputs or other outputs.

        InputError for a constant output.
        """
        executable = self._executable
        made = {*range(len(executable.inputs)), *executable.constants}
        made |= {step.value for step in executable.run if isinstance(step, Read)}
        made |= {step.to for step in executable.run if isinstance(step, Host)}
        for number, (name, value) in enumerate(zip(executable.output_names, executable.outputs,
                                                   strict=True)):
            source = self.tables.values[self._places[value]]
            if value not in made:
                raise InputError(f"The output {name} of {executable.name} is a constant")
            if (source.place, source.number) != ("OUTPUT", number):
                yield StepRow("COPY", self._places[value], len(self.tables.values))
                self.tables.values.append(Value(source.type, "OUTPUT", number, source.count))

    def add_table(self, table):
        """Add a step for a core table, before all other constants."""
        place = PLACES[table]
        self.tables.load += [
            self._words(Region.TABLES, place.first // 2, np.array(TABLES[table].values, np.int16)),
            self._words(Region.PLACES, table.value, np.array([pack_place(place)], np.uint32))]

    def translate(self, step):
        """StepRow for a step of the executable; InputError for a step unknown to the driver."""
        if isinstance(step, Load):
            return self._load(step)
        if isinstance(step, Start):
            return StepRow("START")
        if isinstance(step, Host):
            return self._compute(step)
        return self._transfer(step)

    def _keep(self, key, prefix, make):
        """An array's name; equal arrays are stored once."""
        if key not in self._names:
            self._names[key] = name = f"{self._prefix}{prefix}{len(self._names)}"
            self.tables.arrays[name] = make()
        return self._names[key]

    def _load(self, step):
        data = self._executable.arrays[step.array]
        if step.region is Region.PROGRAM:
            return self._words(step.region, 2 * PASS_STRIDE * step.first,
                               np.array(data.words, np.uint64))
        if step.region is Region.PLACES:
            place = pack_place(TablePlace(*data.tolist()))
            return self._words(step.region, step.first, np.array([place], np.uint32))
        return self._words(step.region, step.first // 2, data)

    def _words(self, region, first, data):
        """Step writing an array to a region from word ``first`` on."""
        return self.words(region.value + _WORD * first, data)

    def words(self, offset, data):
        """Step writing an array of 2-byte, 4-byte or 8-byte elements from a byte offset on."""
        def make():
            flat = data.ravel()
            odd  = flat.itemsize == 2 and len(flat) % 2
            return np.pad(flat, (0, int(odd))).view(np.uint32)

        name = self._keep((data.dtype, data.tobytes()), "words", make)
        return StepRow("WORDS", offset=offset, count=len(self.tables.arrays[name]), data=name)

    def _transfer(self, step):
        kind, layout = ("WRITE" if isinstance(step, Write) else "READ"), step.layout
        inverted = 0x80 if step.less else 0
        if isinstance(layout, WideScatter):
            if layout.zero:
                raise InputError("The driver in C writes states without a zero point alone, not "
                                 f"less {layout.zero}")
            kind, fill = "STATE", 0
            path = self._keep(layout.pieces.tobytes(), "path", lambda: encode_path(layout.pieces))
        else:
            scatter = scatter_of(layout, writes=kind == "WRITE")
            fill = scatter.fill
            inverted |= LOW_OFFSET if scatter.bits > scatter.unit_bits else 0
            takes = None if scatter.takes is None else scatter.takes.tobytes()
            path  = self._keep((step.value, scatter.places.tobytes(), takes, scatter.count,
                                str(step.part)), "path", lambda: self._path(step, scatter))
        offset = _REGIONS[layout.memory] + _WORD * (layout.first_cell // 2)
        return StepRow(kind, self._places[step.value], inverted, offset, layout.count // 2, fill,
                       path)

    def _path(self, step, scatter):
        """Path along the units of a write or read; see ``Scatter``."""
        value = self._executable.values[step.value]
        index = np.arange(value.data.size).reshape(value.shape)[step.part].reshape(-1)
        index = scatter.units(index)
        if scatter.takes is not None:
            index = np.where(scatter.takes < 0, FILL, index[scatter.takes])
        places = scatter.places
        held   = np.full(CELL_BITS * scatter.count // scatter.unit_bits, ZERO)
        held[places[places >= 0]] = index[places >= 0]
        return encode_path(held)

    def _compute(self, step):
        kernel, values = step.kernel, self._executable.values
        if kernel == COPY and not step.part:
            return StepRow("COPY", self._places[step.values[0]], self._places[step.to])
        if isinstance(kernel, tflm.Quantize):
            x, kind = values[step.values[0]], kernel.out
            if x.data.dtype.kind == "f":
                return self._convert("QUANTISE", step, (kind.scale, kind.zero_point, 0, 0, 0))
            return self._convert("REQUANTISE", step, (
                kind.scale, kind.zero_point, x.quantisation.zero_point, *kernel.factor(x)))
        if isinstance(kernel, tflm.Dequantize):
            kind = values[step.values[0]].quantisation
            return self._convert("DEQUANTISE", step, (kind.scale, kind.zero_point, 0, 0, 0))
        name = kernel if isinstance(kernel, str) else type(kernel).__name__
        raise InputError(f"The driver in C computes nothing but QUANTIZE, DEQUANTIZE and copies, "
                         f"not the {name} of {self._executable.name}")

    def _convert(self, kind, step, scale):
        name = f"{self._prefix}scale{len(self.tables.scales)}"
        self.tables.scales[name] = scale
        return StepRow(kind, self._places[step.values[0]], self._places[step.to], data=name)
