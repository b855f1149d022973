# SPDX-License-Identifier: Apache-2.0
"""Initial states for an MLI 1.x recurrent cell as inputs instead of constants."""

from dataclasses import replace

from xymac.hdl.isa import Memory, Region
from xymac.host.executable.steps import Host, Load, Read, Write
from xymac.host.memory.wide import WideScatter
from xymac.host.plan.state_cells import find_state_cells

__all__ = ["STATES", "compile_states"]

#: State names of a layer, in order.
STATES    = {"BasicRnnCell": ("h",), "LstmCell": ("h", "cell")}
_MEMORIES = {Region.X: Memory.X, Region.Y: Memory.Y}


def compile_states(layer, compile_layer):
    """A cell's Executable with its states as additional inputs.

    Parameters
    ----------
    layer : BasicRnnCell or LstmCell
    compile_layer : function from a layer to an Executable

    RuntimeError if constants depend on the states other than by their elements.
    """
    names        = STATES[type(layer).__name__]
    found, blank = find_state_cells(lambda each: _constants(compile_layer(each)), layer, names)
    base, found  = compile_layer(blank), iter(found)
    count        = len(base.inputs)
    numbers      = {name: number for number, name in enumerate(names, count)}
    base         = _make_room(base, count, len(names))
    load, run    = ([*_with_writes(steps, found, numbers)] for steps in (base.load, base.run))
    return replace(
        base, inputs=(*base.inputs, *(getattr(blank, name) for name in names)),
        values=base.values | {numbers[name]: getattr(blank, name) for name in names},
        load=base.load, run=(*(step for step in load if isinstance(step, Write)), *run),
        input_names=(*base.input_names, *names))


def _make_room(executable, first, count):
    """Executable with ``count`` unused value numbers from ``first`` on."""
    def move(number):
        return number + count * (number >= first)

    def moved(values):
        return {move(number): value for number, value in values.items()}

    def step(each):
        if isinstance(each, Write | Read):
            return replace(each, value=move(each.value))
        if isinstance(each, Host):
            return replace(each, values=tuple(map(move, each.values)), to=move(each.to))
        return each

    return replace(
        executable, values=moved(executable.values), outputs=tuple(map(move, executable.outputs)),
        run=tuple(map(step, executable.run)), states=moved(executable.states),
        constants=moved(executable.constants))


def _constants(executable):
    """Words of all Loads to X and Y."""
    return [executable.arrays[step.array] for step in (*executable.load, *executable.run)
            if _holds_cells(step)]


def _holds_cells(step):
    return isinstance(step, Load) and step.region in _MEMORIES


def _with_writes(steps, found, numbers):
    """Steps, with state Writes after each Load that contains them."""
    for step in steps:
        yield step
        for cells in next(found) if _holds_cells(step) else ():
            yield Write(numbers[cells.name], WideScatter(
                _MEMORIES[step.region], step.first + cells.first, cells.pieces, cells.zero))
