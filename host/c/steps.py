# SPDX-License-Identifier: Apache-2.0
"""The steps of a compiled network as the tables of ``xymac_network.h``."""

from dataclasses import dataclass, field

import numpy as np

from xymac.golden import tflm
from xymac.hdl.isa import Memory, Region, Table, TablePlace, pack_place
from xymac.host.errors import InputError

from .paths import FILL, ZERO, encode_path

__all__ = ["Step", "Tables", "Value", "tabulate"]

_WORD     = 4  # bytes
_REGIONS  = {Memory.X.name: Region.X.value, Memory.Y.name: Region.Y.value}
_TYPES    = {"int8": "INT8", "uint8": "UINT8", "int16": "INT16", "int32": "INT32",
             "float32": "FLOAT"}


@dataclass(frozen=True)
class Value:
    """A value that the host holds; see ``xymac_value``.

    Parameters
    ----------
    type : str, INT8 and so on
    place : str, BUFFER, INPUT or OUTPUT
    number : int, of the input or output
    count : int, elements
    first : array or None, what a state is at first
    """

    type:   str
    place:  str
    number: int
    count:  int
    first:  np.ndarray | None = None


@dataclass(frozen=True)
class Step:
    """A step; see ``xymac_step``. ``data`` is the name of an array or of a scale, or None."""

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
class Tables:
    """All of a network.

    Parameters
    ----------
    values : list of Value
    load, run : lists of Step
    arrays : dict of arrays, uint32 or int32, by name
    scales : dict of (scale, zero, from_zero, multiplier, exponent) by name
    """

    values: list = field(default_factory=list)
    load:   list = field(default_factory=list)
    run:    list = field(default_factory=list)
    arrays: dict = field(default_factory=dict)
    scales: dict = field(default_factory=dict)


def tabulate(compiled, prefix=""):
    """Tables of a Compiled, names of arrays and scales with a prefix; InputError for an output that
    nothing makes."""
    return _Tabulator(compiled, prefix).tables


class _Tabulator:
    """Makes the Tables of a Compiled."""

    def __init__(self, compiled, prefix):
        self._prefix = prefix
        self._content, self._arrays = compiled.description, compiled.arrays
        self._names  = {}  # of what has become an array, by what it is made of
        self.tables  = Tables()
        self._places = {}  # of values in the table, by their numbers
        self._add_values()
        self.tables.load += map(self._translate, self._content["load"])
        self.tables.run  += map(self._translate, self._content["run"])
        self._add_copies()

    def _add_values(self):
        content = self._content
        states  = {entry["value"]: self._arrays[entry["array"]]
                   for group in ("states", "constants") for entry in content[group]}
        inputs  = {entry["value"]: number for number, entry in enumerate(content["inputs"])}
        outputs = {}
        for number, entry in enumerate(content["outputs"]):
            outputs.setdefault(entry["value"], number)
        for number, entry in sorted((int(key), entry) for key, entry in content["values"].items()):
            place, which = ("INPUT", inputs[number]) if number in inputs else (
                "OUTPUT", outputs[number]) if number in outputs else ("BUFFER", 0)
            self._places[number] = len(self.tables.values)
            if entry["type"] not in _TYPES:
                raise InputError(f"The driver in C has values of {', '.join(_TYPES)}, "
                                 f"not {entry['type']}")
            self.tables.values.append(Value(
                _TYPES[entry["type"]], place, which, int(np.prod(entry["shape"])),
                states.get(number)))

    def _add_copies(self):
        """Outputs that are inputs, or other outputs, too."""
        made = {step[key] for step in self._content["run"] for key in ("value", "to")
                if key in step and (key == "to" or step["do"] == "read")}
        made |= {entry["value"] for entry in self._content["constants"]}
        made |= {entry["value"] for entry in self._content["inputs"]}
        for number, entry in enumerate(self._content["outputs"]):
            source = self.tables.values[self._places[entry["value"]]]
            if entry["value"] not in made:
                raise InputError(f"The output {entry['name']} of {self._content['network']} is a "
                                 f"constant")
            if (source.place, source.number) != ("OUTPUT", number):
                self.tables.run.append(Step("COPY", self._places[entry["value"]],
                                            len(self.tables.values)))
                self.tables.values.append(Value(source.type, "OUTPUT", number, source.count))

    def _translate(self, step):
        return getattr(self, f"_do_{step['do']}")(step)

    def _keep(self, key, prefix, make):
        """Name of an array that is made once."""
        if key not in self._names:
            self._names[key] = name = f"{self._prefix}{prefix}{len(self._names)}"
            self.tables.arrays[name] = make()
        return self._names[key]

    def _words(self, offset, key, make):
        name = self._keep(key, "words", make)
        return Step("WORDS", offset=offset, count=len(self.tables.arrays[name]), data=name)

    def _do_cells(self, step):
        offset = _REGIONS[step["memory"]] + _WORD * (step["first"] // 2)
        return self._words(offset, step["array"], lambda: self._even(step["array"], np.uint16))

    def _do_table(self, step):
        offset = Region.TABLES.value + _WORD * (step["first"] // 2)
        return self._words(offset, step["array"], lambda: self._even(step["array"], np.int16))

    def _even(self, key, dtype):
        """An array of 16 bits as words, with a zero behind an odd count."""
        array = np.asarray(self._arrays[key], dtype)
        return np.pad(array, (0, len(array) % 2)).view(np.uint32)

    def _do_place(self, step):
        place = pack_place(TablePlace(step["first"], step["entries"], step["offset"]))
        return self._words(Region.PLACES.value + _WORD * Table(step["table"]).value,
                           ("place", place), lambda: np.array([place], np.uint32))

    def _do_program(self, step):
        return self._words(
            Region.PROGRAM.value, step["array"],
            lambda: np.ascontiguousarray(self._arrays[step["array"]]).view(np.uint32).ravel())

    def _do_start(self, step):
        return Step("START")

    def _do_write(self, step):
        return self._transfer("WRITE", step)

    def _do_read(self, step):
        return self._transfer("READ", step)

    def _transfer(self, kind, step):
        offset = _REGIONS[step["memory"]] + _WORD * (step["first"] // 2)
        path   = self._keep((step["value"], step["places"], step.get("takes"), step["cells"],
                             str(step.get("part"))), "path", lambda: self._path(step))
        return Step(kind, self._places[step["value"]], 0x80 if step.get("less") else 0, offset,
                    step["cells"] // 2, step.get("fill", 0), path)

    def _path(self, step):
        """The path of the elements that a step writes or reads."""
        entry  = self._content["values"][str(step["value"])]
        index  = np.arange(np.prod(entry["shape"])).reshape(entry["shape"])
        index  = index[tuple(slice(*each) for each in step.get("part", ()))].reshape(-1)
        if "takes" in step:
            takes = self._arrays[step["takes"]]
            index = np.where(takes < 0, FILL, index[takes])
        places = self._arrays[step["places"]]
        held   = np.full(2 * step["cells"] // np.dtype(entry["type"]).itemsize, ZERO)
        held[places[places >= 0]] = index[places >= 0]
        return encode_path(held)

    def _do_state(self, step):
        elements = self._arrays[step["array"]]
        offset   = _REGIONS[step["memory"]] + _WORD * (step["first"] // 2)
        path     = self._keep(step["array"], "path", lambda: encode_path(elements))
        return Step("STATE", self._places[step["value"]], 0, offset, step["cells"] // 2, 0, path)

    def _do_quantise(self, step):
        source, target = (self._content["values"][str(step[key])] for key in ("value", "to"))
        scale, zero = target["scale"], target["zero_point"]
        if source["type"] == "float32":
            return self._convert("QUANTISE", step, (scale, zero, 0, 0, 0))
        x     = tflm.Tensor(np.zeros(1, source["type"]), tflm.Quantisation(
            (source["scale"],), (source["zero_point"],)))
        layer = tflm.Quantize(tflm.Quantisation((scale,), (zero,)), np.dtype(target["type"]))
        return self._convert("REQUANTISE", step,
                             (scale, zero, source["zero_point"], *layer.factor(x)))

    def _do_dequantise(self, step):
        source = self._content["values"][str(step["value"])]
        return self._convert("DEQUANTISE", step, (source["scale"], source["zero_point"], 0, 0, 0))

    def _do_copy(self, step):
        return Step("COPY", self._places[step["value"]], self._places[step["to"]])

    def _do_compute(self, step):
        raise InputError(f"The driver in C computes nothing but QUANTIZE, DEQUANTIZE and copies, "
                         f"not the {step['kernel']} of {self._content['network']}")

    def _convert(self, kind, step, scale):
        name = f"{self._prefix}scale{len(self.tables.scales)}"
        self.tables.scales[name] = scale
        return Step(kind, self._places[step["value"]], self._places[step["to"]], data=name)
