# SPDX-License-Identifier: Apache-2.0
"""Compiled networks on a device, as a driver runs them: by their two files alone."""

from dataclasses import replace
from time import perf_counter

import numpy as np

from xymac import golden
from xymac.golden import mli1, tflm, xs3
from xymac.hdl.isa import Memory, Program, Table, TablePlace, unpack_words
from xymac.host.errors import InputError, translate_refusals
from xymac.host.plan.program.segments import join_results

from .computed import layer_of_step

__all__ = ["Driver", "slices_of"]

_HALF = 0x80  #: That uint8 has more than the int8 that stands for it.


class Driver:
    """A Compiled network on an open Device.

    InputError for one that somebody changed so that it makes no sense.

    Attributes
    ----------
    name, size : str, of the network and of the core that it is for
    inputs, input_names : tuples, blank golden Arrays and their names
    outputs, output_names : tuples, numbers of values and their names
    values : dict of blank golden Arrays by the numbers of the values
    numbers : tuple that is empty unless it was made of a file of TensorFlow Lite
    """

    def __init__(self, compiled):
        self._arrays = compiled.arrays
        with translate_refusals("The compiled network", Exception):
            content = compiled.description
            self.name, self.size = str(content["network"]), str(content["size"])
            self.values = {int(number): _blank(entry, tflite=content["tflite"])
                           for number, entry in content["values"].items()}
            self.inputs, self.input_names = self._named(content["inputs"], blank=True)
            self.outputs, self.output_names = self._named(content["outputs"], blank=False)
            if not self.inputs or not self.outputs:
                raise InputError(f"The compiled network must have an input and an output, not "
                                 f"{len(self.inputs)} and {len(self.outputs)}")
            self._load, self._run = list(content["load"]), list(content["run"])
            self._first_states = {
                entry["value"]: replace(self.values[entry["value"]],
                                        data=self._arrays[entry["array"]])
                for entry in content["states"]}
            self._constants = {entry["value"]: replace(self.values[entry["value"]],
                                                       data=self._arrays[entry["array"]])
                               for entry in content["constants"]}
            self.numbers = (0,) if content["tflite"] else ()
        self._states = self._first_states

    def _named(self, entries, *, blank):
        numbers = tuple(int(entry["value"]) for entry in entries)
        return (tuple(self.values[number] for number in numbers) if blank else numbers,
                tuple(str(entry["name"]) for entry in entries))

    def load(self, device):
        """Do once what is done once."""
        with translate_refusals("The compiled network", Exception):
            self._do_all(device, self._load, {})

    @property
    def has_states(self):
        """Whether values stay from input to input."""
        return bool(self._first_states)

    def run(self, device, *inputs, reset_states=False):
        """Run on arrays, one an input: a tuple of output arrays, the cycles that it took, and
        seconds. States are those of the run before unless ``reset_states``."""
        held  = {number: replace(blank, data=data) for number, (blank, data)
                 in enumerate(zip(self.inputs, inputs, strict=True))}
        held |= self._constants | (self._first_states if reset_states else self._states)
        start = perf_counter()
        with translate_refusals("The compiled network", Exception):
            result = self._do_all(device, self._run, held)
            outputs = tuple(held[number].data for number in self.outputs)
        self._states = {number: held[number] for number in self._first_states}
        cycles = 0 if result is None else result.counters["cycles"]
        return outputs, cycles, perf_counter() - start

    def _do_all(self, device, steps, held):
        """Do steps; the RunResult of all programs, None if there is none."""
        whole = None
        for step in steps:
            result = getattr(self, f"_do_{step['do']}")(device, step, held)
            if result is not None:
                result.check()
                whole = result if whole is None else join_results(whole, result)
        return whole

    def _do_cells(self, device, step, held):
        device.write_cells(Memory[step["memory"]], step["first"], self._arrays[step["array"]])

    def _do_table(self, device, step, held):
        device.write_table(step["first"], self._arrays[step["array"]])

    def _do_place(self, device, step, held):
        device.place_table(Table(step["table"]),
                           TablePlace(step["first"], step["entries"], step["offset"]))

    def _do_program(self, device, step, held):
        device.load_program(Program(unpack_words(words) for words in self._arrays[step["array"]]))

    def _do_start(self, device, step, held):
        return device.run()

    def _do_write(self, device, step, held):
        data  = held[step["value"]].data[slices_of(step)].reshape(-1)
        cells = np.zeros(step["cells"], np.uint16)
        if "takes" in step:
            takes = self._arrays[step["takes"]]
            data  = np.where(takes < 0, step["fill"], data[takes]).astype(data.dtype)
        if step.get("less"):
            data = data ^ _HALF
        places = self._arrays[step["places"]]
        inside = places >= 0
        cells.view(data.dtype)[places[inside]] = data[inside]
        device.write_cells(Memory[step["memory"]], step["first"], cells)

    def _do_read(self, device, step, held):
        number = step["value"]
        blank  = self.values[number]
        if number not in held:
            held[number] = replace(blank, data=np.zeros_like(blank.data))
        elif number in self._first_states:
            held[number] = replace(blank, data=held[number].data.copy())
        cells  = device.read_cells(Memory[step["memory"]], step["first"], step["cells"])
        target = held[number].data[slices_of(step)]
        target[...] = cells.view(blank.data.dtype)[self._arrays[step["places"]]].reshape(
            target.shape)
        if step.get("less"):
            target ^= _HALF

    def _do_quantise(self, device, step, held):
        blank = self.values[step["to"]]
        layer = tflm.Quantize(blank.quantisation, blank.data.dtype)
        held[step["to"]] = golden.run(layer, held[step["value"]]).output

    def _do_dequantise(self, device, step, held):
        held[step["to"]] = golden.run(tflm.Dequantize(), held[step["value"]]).output

    def _do_copy(self, device, step, held):
        blank = self.values[step["to"]]
        held[step["to"]] = replace(blank, data=held[step["value"]].data.reshape(blank.shape))

    def _do_compute(self, device, step, held):
        layer = layer_of_step(step, self._arrays)
        held[step["to"]] = golden.run(layer, *(held[number] for number in step["values"])).output


def slices_of(step):
    """The part of a value that a step moves, a tuple of slices; an empty one for all of it."""
    return tuple(slice(first, end) for first, end in step.get("part", ()))


def _blank(entry, *, tflite):
    """Zeros in the format of a value."""
    data = np.zeros(entry["shape"], entry["type"])
    if "frac_bits" in entry:
        return mli1.Tensor(data, entry["frac_bits"])
    if data.dtype.kind == "u" and not tflite:
        return xs3.Integers(data)
    kind = None
    if "scale" in entry:
        kind = tflm.Quantisation((entry["scale"],), (entry["zero_point"],))
    return tflm.Tensor(data, kind)
