# SPDX-License-Identifier: Apache-2.0
"""Verilog whose branches, statements and signals name their lines in the Amaranth sources.

Amaranth writes a source position at signals and cells, and none at branches and statements. Here
every branch gets a number as an attribute, and a table beside the Verilog tells its lines.
"""

import contextlib
from dataclasses import dataclass, field

from amaranth.back import rtlil, verilog
from amaranth.hdl import _nir  # Not exported, and pinned: see pyproject.toml.

from xymac.hdl.elaboration import quick_elaboration

from .crosses import watch_crosses
from .machines import find_machine, watch_machines

__all__ = ["Arm", "annotated_verilog"]

_TRUE = _nir.Net.from_const(1)


@dataclass
class Arm:
    """A branch of an If, a Switch, a state machine or an Array in the Amaranth sources.

    Parameters
    ----------
    place : (file, line), the branch's; an Else has its If's line
    kind : str, "if", "else", "case" or "none" (no condition of a chain holds)
    condition : condition name; branches on several signals share it
    lines : (file, line) for each statement directly in the branch
    """

    place:     tuple
    kind:      str
    condition: str
    lines:     list = field(default_factory=list)


def annotated_verilog(component, ports):
    """Return (Verilog of ``component``, its list of ``Arm``).

    The Verilog is as from ``xymac.sim.build.compile.verilog_of``, plus attributes, empty branches
    where no condition in a chain holds, and watches on the state machines and crosses.
    """
    arms, machines = [], []
    with quick_elaboration(), _annotation(arms, machines):
        text = verilog.convert(component, name="top", ports=ports, emit_src=True,
                               strip_internal_attrs=False)
    return watch_crosses(watch_machines(text, machines), component), arms


@contextlib.contextmanager
def _annotation(arms, machines):
    """Context manager in which Amaranth's backend numbers branches in ``arms``, and lists state
    machines in ``machines``.
    """
    emitter  = rtlil.ModuleEmitter
    originals = [(emitter, "emit_assignment_list"), (emitter, "emit"), (rtlil.Switch, "emit"),
                 (rtlil.Case, "emit")]
    kept = [(owner, name, getattr(owner, name)) for owner, name in originals]
    emit_list, emit_module, emit_switch, emit_case = (original for *_, original in kept)

    def emit_assignment_list(self, cell_idx, cell):
        emit_list(self, cell_idx, cell)
        process = list(self.builder.contents.values())[-1]
        _Numbering(self.netlist, arms, cell).number(process)
        machine = find_machine(self, cell)
        if machine is not None:
            machines.append(machine)

    def emit(self):
        emit_module(self)
        for wire, value in self.sigport_wires.values():
            fixed = [bit for bit, net in enumerate(value) if net.is_const]
            if fixed:
                wire.attribute("fixed", ",".join(map(str, fixed)))

    def emit_with(attribute, original):
        def emit(self, line):
            if hasattr(self, attribute):
                line(f'attribute \\{attribute} "{getattr(self, attribute)}"')
            original(self, line)
        return emit

    try:
        emitter.emit_assignment_list = emit_assignment_list
        emitter.emit                 = emit
        rtlil.Switch.emit            = emit_with("arms", emit_switch)
        rtlil.Case.emit              = emit_with("arm", emit_case)
        yield
    finally:
        for owner, name, original in kept:
            setattr(owner, name, original)


class _Numbering:
    """Numbers the branches in a process from Amaranth's backend.

    Parameters
    ----------
    netlist : Amaranth's netlist
    arms : list of Arm; the branches are appended
    cell : assignment list behind the process
    """

    def __init__(self, netlist, arms, cell):
        self._netlist     = netlist
        self._arms        = arms
        self._assignments = iter([assign for assign in cell.assignments
                                  if not self._never(assign.cond)])

    def number(self, process):
        """Number all branches of ``process``, whose first statement is its default value."""
        self._walk(process.contents[1:], _TRUE, None)

    def _never(self, cond):
        """Whether a condition has a Case without patterns, which the backend leaves out."""
        while cond != _TRUE:
            priority = self._netlist.cells[cond.cell]
            if self._patterns(priority.inputs[cond.bit]) == ():
                return True
            cond = priority.en
        return False

    def _patterns(self, net):
        """A priority cell input's patterns, None for a default."""
        return None if net == _TRUE else self._netlist.cells[net.cell].patterns

    def _walk(self, contents, cond, arm):
        for item in contents:
            if isinstance(item, rtlil.Switch):
                self._number_switch(item, cond)
            else:
                assign = next(self._assignments)
                if arm is not None:
                    arm.lines.append(assign.src_loc)

    def _number_switch(self, switch, cond):
        index    = self._priority_below(switch, cond)
        priority = self._netlist.cells[index]
        bits     = [bit for bit, net in enumerate(priority.inputs) if self._patterns(net) != ()]
        patterns = [self._patterns(priority.inputs[bit]) for bit in bits]
        numbers  = []
        for bit, case in zip(bits, switch.cases, strict=True):
            arm = self._arm_of(index, bit, _is_chain(patterns))
            case.arm = len(self._arms)
            numbers.append(case.arm)
            self._arms.append(arm)
            self._walk(case.contents, _nir.Net.from_cell(index, bit), arm)
        if _is_chain(patterns) and None not in patterns:
            numbers.append(len(self._arms))
            self._arms.append(Arm(priority.src_loc, "none", f"{index}"))
            if len(patterns) > 1:
                switch.default().arm = numbers[-1]
        switch.arms = ",".join(map(str, numbers))

    def _arm_of(self, index, bit, chain):
        priority = self._netlist.cells[index]
        net      = priority.inputs[bit]
        if net == _TRUE:
            return Arm(priority.src_loc, "else", f"{index}.{bit}")
        place = self._netlist.cells[net.cell].src_loc
        return Arm(place, "if" if chain else "case", f"{index}.{bit}")

    def _priority_below(self, switch, cond):
        """Index of the priority cell whose outputs are the conditions of ``switch``."""
        remaining = list(self._assignments)
        self._assignments = iter(remaining)
        below = remaining[0].cond
        while self._netlist.cells[below.cell].en != cond:
            below = self._netlist.cells[below.cell].en
        return below.cell


def _is_chain(patterns):
    """Whether ``patterns`` come from If, Elif and Else: each tests a different bit."""
    return all(pattern is None or (len(pattern) == 1 and pattern[0].count("1") == 1
               and pattern[0].count("-") == len(pattern[0]) - 1) for pattern in patterns)
