# SPDX-License-Identifier: Apache-2.0
"""Executables as JSON and arrays, and back; ``xymac.host.network.compiled`` has the format."""

from dataclasses import replace

import numpy as np

from xymac.golden import mli1, tflm, xs3
from xymac.golden.layer import LayerBase
from xymac.hdl.isa import PLACES, TABLES, Memory, Program, Region, Table, unpack_words
from xymac.host.errors import InputError
from xymac.host.executable.executable import Executable
from xymac.host.executable.steps import COPY, TAKE, Host, Load, Read, Start, Write
from xymac.host.memory.scatter import Scatter, scatter_of
from xymac.host.memory.wide import WideScatter

from .fields import decode_fields, encode

__all__ = ["describe", "read_description"]

_KINDS = {name: getattr(tflm, name) for name in tflm.__all__}
_KINDS = {name: kind for name, kind in _KINDS.items()
          if isinstance(kind, type) and issubclass(kind, LayerBase)}


def describe(executable):
    """An Executable's JSON, and its arrays: two dicts."""
    arrays = {key: np.array(data.words, np.uint64) if isinstance(data, Program) else data
              for key, data in executable.arrays.items()}
    writer = _Writer(arrays)
    return {
        "network": executable.name, "size": executable.size,
        "operators": list(executable.operators), "tflite": bool(executable.numbers),
        "inputs": [{"name": name, "value": number}
                   for number, name in enumerate(executable.input_names)],
        "outputs": [{"name": name, "value": number} for name, number
                    in zip(executable.output_names, executable.outputs, strict=True)],
        "values": {str(number): _format(value) for number, value in executable.values.items()},
        "states": writer.held("state", executable.states),
        "constants": writer.held("constant", executable.constants),
        "tables": [writer.table(table) for table in executable.tables],
        "load": [writer.step(step) for step in executable.load],
        "run": [writer.step(step) for step in executable.run]}, arrays


def read_description(content, arrays):
    """The Executable from JSON and arrays; any exception if they make no sense."""
    values = {int(number): _blank(entry, tflite=content["tflite"])
              for number, entry in content["values"].items()}
    inputs, outputs = ([int(entry["value"]) for entry in content[key]]
                       for key in ("inputs", "outputs"))
    if not inputs or not outputs:
        raise InputError(f"The compiled network must have an input and an output, not "
                         f"{len(inputs)} and {len(outputs)}")
    for number in outputs:
        if number not in values:
            raise InputError(f"The compiled network has no value {number}, which is an output")
    reader = _Reader(arrays, values)
    return Executable(
        values, tuple(values[number] for number in inputs), tuple(outputs),
        tuple(map(reader.step, content["load"])), tuple(map(reader.step, content["run"])),
        {key: Program(unpack_words(words) for words in data) if data.dtype == np.uint64 else data
         for key, data in arrays.items()},
        tuple(Table(entry["table"]) for entry in content["tables"]),
        reader.held(content["states"]), reader.held(content["constants"]),
        str(content["network"]), str(content["size"]),
        *(tuple(str(entry["name"]) for entry in content[key]) for key in ("inputs", "outputs")),
        tuple(content["operators"]), (0,) if content["tflite"] else ())


class _Writer:
    """Steps as JSON; their arrays go into the dict ``arrays``."""

    def __init__(self, arrays):
        self._arrays = arrays
        self._keys   = {_identify(data): key for key, data in arrays.items()}

    def keep(self, kind, data):
        """An array's key; equal arrays are stored once."""
        identity = _identify(data)
        if identity not in self._keys:
            self._keys[identity] = key = f"{kind}{len(self._arrays)}"
            self._arrays[key] = data
        return self._keys[identity]

    def held(self, kind, values):
        """Value entries with their contents."""
        return [{"value": number, "array": self.keep(kind, value.data)}
                for number, value in values.items()]

    def table(self, table):
        """A core table's JSON entry."""
        place = PLACES[table]
        return {"table": table.value, "first": place.first, "entries": place.entries,
                "offset": place.offset,
                "array": self.keep("table", np.array(TABLES[table].values, np.int16))}

    def step(self, step):
        """A step's JSON."""
        if isinstance(step, Load):
            return {"do": "load", "region": step.region.name, "first": step.first,
                    "array": step.array}
        if isinstance(step, Start):
            return {"do": "start"}
        if isinstance(step, Host):
            return {"do": "host"} | self._kernel(step) | {
                "values": list(step.values), "to": step.to} | _part(step)
        entry = {"do": "write" if isinstance(step, Write) else "read", "value": step.value,
                 "memory": step.layout.memory.name, "first": step.layout.first_cell,
                 "cells": step.layout.count}
        return entry | self._layout(step) | ({"less": True} if step.less else {}) | _part(step)

    def _layout(self, step):
        if isinstance(step.layout, WideScatter):
            return {"pieces": self.keep("pieces", step.layout.pieces), "zero": step.layout.zero}
        layout = scatter_of(step.layout, writes=isinstance(step, Write))
        entry  = {"bits": layout.bits, "places": self.keep("places", layout.places)}
        if layout.takes is None:
            return entry
        return entry | {"takes": self.keep("takes", layout.takes), "fill": layout.fill}

    def _kernel(self, step):
        kernel, name = step.kernel, f"host{step.to}"
        if kernel in (COPY, TAKE):
            return {"kernel": kernel}
        return {"kernel": type(kernel).__name__, "fields": {
            field: encode(getattr(kernel, field), f"{name}.{field}", self._arrays)
            for field in kernel.__dataclass_fields__}}


class _Reader:
    """Converts JSON steps, with their arrays and values."""

    def __init__(self, arrays, values):
        self._arrays, self._values = arrays, values

    def held(self, entries):
        """Value contents by number."""
        return {entry["value"]: replace(self._values[entry["value"]],
                                        data=self._arrays[entry["array"]]) for entry in entries}

    def step(self, entry):
        """A step from its JSON; InputError for an unknown step."""
        part = tuple(slice(first, end) for first, end in entry.get("part", ()))
        match entry["do"]:
            case "load":
                return Load(Region[entry["region"]], entry["first"], entry["array"])
            case "start":
                return Start()
            case "host":
                return Host(self._kernel(entry), tuple(entry["values"]), entry["to"], part)
            case "write" | "read":
                kind = Write if entry["do"] == "write" else Read
                return kind(entry["value"], self._layout(entry), part, entry.get("less", False))
        raise InputError(f"The compiled network: a step must be load, write, start, read or host, "
                         f"not {entry['do']!r}")

    def _layout(self, entry):
        place = Memory[entry["memory"]], entry["first"]
        if "pieces" in entry:
            return WideScatter(*place, self._arrays[entry["pieces"]], entry["zero"])
        takes = self._arrays[entry["takes"]] if "takes" in entry else None
        return Scatter(*place, entry["cells"], entry["bits"], self._arrays[entry["places"]], takes,
                       entry.get("fill", 0))

    def _kernel(self, entry):
        if entry["kernel"] in (COPY, TAKE):
            return entry["kernel"]
        kind = _KINDS[entry["kernel"]]
        return kind(**decode_fields(kind, entry["fields"], self._arrays, tflm.Tensor))


def _identify(data):
    return data.dtype, data.shape, data.tobytes()


def _part(step):
    return {"part": [[each.start, each.stop] for each in step.part]} if step.part else {}


def _format(value):
    """A value's shape, type and quantisation, a dict."""
    entry = {"shape": list(value.shape), "type": value.data.dtype.name}
    kind  = getattr(value, "quantisation", None)
    if kind is not None:
        entry |= {"scale": kind.scale, "zero_point": kind.zero_point}
    if hasattr(value, "frac_bits"):
        entry |= {"frac_bits": value.frac_bits}
    return entry


def _blank(entry, *, tflite):
    """Zeros in a value's format."""
    data = np.zeros(entry["shape"], entry["type"])
    if "frac_bits" in entry:
        return mli1.Tensor(data, entry["frac_bits"])
    if data.dtype.kind == "u" and not tflite:
        return xs3.Integers(data)
    kind = None
    if "scale" in entry:
        kind = tflm.Quantisation((entry["scale"],), (entry["zero_point"],))
    return tflm.Tensor(data, kind)
