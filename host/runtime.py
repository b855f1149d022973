# SPDX-License-Identifier: Apache-2.0
"""Run an executable on a device."""

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from xymac import golden
from xymac.hdl.isa import Memory, Region, Table, TablePlace
from xymac.host.executable.steps import COPY, TAKE, Host, Load, Read, Start, Write

__all__ = ["Run", "Runtime", "put_constant"]

_HALF    = 0x80  # offset of uint8 values from int8 in memory
_MEMORIES = {Region.X: Memory.X, Region.Y: Memory.Y}


@dataclass(frozen=True)
class Run:
    """A run of an executable.

    Parameters
    ----------
    values : dict from numbers to golden Arrays
    states : dict from numbers to golden Arrays, initial states for the next run
    result : RunResult over all programs, None without a program
    seconds : float, time for all steps except host steps
    """

    values:  dict
    states:  dict
    result:  object
    seconds: float

    @property
    def cycles(self):
        """Cycles over all programs, from start to interrupt."""
        return 0 if self.result is None else self.result.counters["cycles"]


class Runtime:
    """An Executable on an open Device.

    Parameters
    ----------
    executable : Executable
    device : Device

    DeviceError where a program does not end well.
    """

    def __init__(self, executable, device):
        self.executable, self._device = executable, device
        self._states = None

    def load(self):
        """Execute the initial steps."""
        if hasattr(self._device, "load_tables"):  # else it relies on the initial values of the core
            self._device.load_tables(self.executable.tables)
        for step in self.executable.load:
            put_constant(self._device, step, self.executable.arrays)

    def run(self, inputs, states=None):
        """Run on golden Arrays, an Array per input; returns a Run.

        ``states`` are the previous Run's states, by default the initial states.
        """
        executable = self.executable
        states     = executable.states if states is None else states
        walk = _Walk(executable, self._device,
                     {**dict(enumerate(inputs)), **executable.constants, **states})
        rest = iter(executable.run)
        try:
            for step in rest:
                walk.do(step)
        finally:  # layer tables may overlay core tables, which are loaded again later
            for step in rest:
                if isinstance(step, Load) and step.region is Region.TABLES:
                    put_constant(self._device, step, executable.arrays)
        return Run(walk.values, {number: walk.values[number] for number in executable.states},
                   walk.result, walk.seconds)

    def apply(self, *arrays, reset_states=False):
        """Run on arrays, an array per input; returns an output array tuple, and the Run.

        States continue from the previous ``apply`` unless ``reset_states``.
        """
        inputs = [replace(blank, data=data)
                  for blank, data in zip(self.executable.inputs, arrays, strict=True)]
        run = self.run(inputs, None if reset_states else self._states)
        self._states = run.states
        return tuple(run.values[number].data for number in self.executable.outputs), run


class _Walk:
    """Execution of a run: ``values`` so far, ``result`` of the programs, ``seconds``."""

    def __init__(self, executable, device, values):
        self._executable, self._device = executable, device
        self.values, self.result, self.seconds = values, None, 0.0
        self._own = set()  # values whose data no other run has

    def do(self, step):
        """Execute a step."""
        if isinstance(step, Host):
            self._compute(step)
            return
        begin = perf_counter()
        if isinstance(step, Load):
            put_constant(self._device, step, self._executable.arrays)
        elif isinstance(step, Write):
            self._write(step)
        elif isinstance(step, Read):
            self._read(step)
        elif isinstance(step, Start):
            self._start()
        else:
            raise TypeError(f"A step must be Load, Write, Start, Read or Host, not {step!r}")
        self.seconds += perf_counter() - begin

    def _start(self):
        result = self._device.run()
        self.result = result if self.result is None else self.result.then(result)
        self.result.check()

    def _write(self, step):
        data = self.values[step.value].data
        data = data[step.part] if step.part else data
        if step.less:
            data = (data ^ _HALF).view(np.int8)
        self._device.write_cells(step.layout.memory, step.layout.first_cell,
                                 step.layout.cells(data))

    def _read(self, step):
        layout = step.layout
        data   = layout.data(self._device.read_cells(layout.memory, layout.first_cell,
                                                     layout.count))
        if step.less:
            data = data.view(np.uint8) ^ _HALF
        self._set(step.value, step.part, data)

    def _compute(self, step):
        operands = [self.values[number] for number in step.values]
        if step.kernel == COPY:
            data = operands[0].data
        elif step.kernel == TAKE:
            source, indices = operands
            data = source.data.reshape(-1)[indices.data.reshape(-1)]
        else:
            self.values[step.to] = golden.run(step.kernel, *operands).output
            return
        self._set(step.to, step.part, data)

    def _set(self, number, part, data):
        """Set a value, or a part of it, from an array."""
        blank = self._executable.values[number]
        if not part:
            self.values[number] = replace(
                blank, data=data.astype(blank.data.dtype).reshape(blank.shape))
        else:
            if number not in self._own:
                held = self.values.get(number, blank)
                self.values[number] = replace(held, data=held.data.copy())
            target = self.values[number].data[part]
            target[...] = data.reshape(target.shape)
        self._own.add(number)


def put_constant(device, step, arrays):
    """Execute a Load on a device; ``arrays`` is the Executable's dict."""
    data = arrays[step.array]
    if step.region in _MEMORIES:
        device.write_cells(_MEMORIES[step.region], step.first, data)
    elif step.region is Region.PROGRAM:
        device.load_program(data, step.first)
    elif step.region is Region.TABLES:
        device.write_table(step.first, data)
    else:
        device.place_table(Table(step.first), TablePlace(*data.tolist()))
