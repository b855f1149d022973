# SPDX-License-Identifier: Apache-2.0
"""Watches on state machines in Verilog: a case for each state, transition and reset in a state.

Verilator knows only state machines with SystemVerilog enumerations, and Amaranth writes none, so
line coverage counts these cases.
"""

from dataclasses import dataclass

from amaranth.hdl import _nir  # Not exported, and pinned: see pyproject.toml.

__all__ = ["Machine", "find_machine", "watch_machines"]

_TRUE = _nir.Net.from_const(1)


@dataclass(frozen=True)
class Machine:
    """A state machine, as its register shows.

    Parameters
    ----------
    module : str, its module in Verilog
    register : str, register name in RTLIL
    width : int, bits
    states : {value: (file, line)}
    arcs : {(value, next value): (file, line)}, the transition's condition or state
    restart : value to which a ``ResetInserter`` sets it from any state, or None
    """

    module:   str
    register: str
    width:    int
    states:   dict
    arcs:     dict
    restart:  int | None = None


def find_machine(emitter, cell):
    """Return the ``Machine`` whose next state is the assignment list ``cell``, or None.

    It keeps its register's value unless a case on the same register assigns a constant.
    """
    netlist, register = emitter.netlist, cell.default
    if any(net.is_const for net in register) or not isinstance(
            netlist.cells[register[0].cell], _nir.FlipFlop):
        return None
    states, arcs, resets = {}, {}, []
    for assign in cell.assignments:
        sources, is_reset = _sources(netlist, assign.cond, register)
        if is_reset:
            resets.append(assign.value)
            continue
        if sources is None or len(assign.value) != len(register) or not all(
                net.is_const for net in assign.value):
            return None
        target = _constant(assign.value)
        for value, place in sources.items():
            states[value] = place
            arcs.setdefault((value, target), _place(netlist, assign.cond))
    if not states:
        return None
    module = ".".join(emitter.module.name)
    wire, _bit = emitter.nets[register[0]]
    return Machine(module, wire.name, len(register), states,
                   {arc: place for arc, place in arcs.items() if arc[0] != arc[1]},
                   _constant(resets[0]) if len(resets) > 1 else None)


def _constant(nets):
    """The value of constant nets."""
    return sum(net.const << bit for bit, net in enumerate(nets))


def _sources(netlist, cond, register):
    """({state: (file, line)} in which ``cond`` may hold, or None; whether it is the reset)."""
    chain = []
    while cond != _TRUE:
        priority = netlist.cells[cond.cell]
        chain.append(priority.inputs[cond.bit])
        cond = priority.en
    for net in chain:
        matches = netlist.cells[net.cell] if net != _TRUE else None
        if matches is not None and matches.value == register and all(
                set(pattern) <= {"0", "1"} for pattern in matches.patterns):
            return {int(pattern, 2): matches.src_loc for pattern in matches.patterns}, False
    return None, len(chain) == 1


def _place(netlist, cond):
    """The innermost condition's (file, line)."""
    priority = netlist.cells[cond.cell]
    net      = priority.inputs[cond.bit]
    return priority.src_loc if net == _TRUE else netlist.cells[net.cell].src_loc


def watch_machines(text, machines):
    """Return the Verilog ``text`` with a watch on each of ``machines``."""
    for machine in machines:
        heads = (f"\nmodule {machine.module}(", f"\nmodule \\{machine.module} (")
        start = max(text.find(head) for head in heads)
        end   = text.index("\nendmodule", start) + 1
        text  = text[:end] + _watch(machine) + text[end:]
    return text


def _watch(machine):
    width = machine.width
    state = f"{machine.register} "
    was, fresh = f"{machine.register}_was ", f"{machine.register}_fresh "

    def cases(kind, of, items, extra=()):
        yield f"    casez ({of})"
        for pattern, (file, line), detail in items:
            yield f'      /* fsm = "{kind}|{file}|{line}|{detail}" */'
            yield f"      {pattern}: ;"
        yield from extra
        yield "    endcase"

    def bits(value):
        return f"{value:0{width}b}"

    states = [(f"{width}'b{bits(value)}", place, value) for value, place in machine.states.items()]
    arcs   = [(f"{2 * width}'b{bits(start)}{bits(end)}", place, f"{start}-{end}")
              for (start, end), place in machine.arcs.items()]
    quiet  = {(value, value) for value in machine.states}
    if machine.restart is not None:  # Verilator refuses patterns that overlap
        quiet |= {(value, machine.restart) for value in range(1 << width)}
    stays  = [f"      {2 * width}'b{bits(start)}{bits(end)}: ;"
              for start, end in sorted(quiet - machine.arcs.keys())]
    place  = next(iter(machine.states.values()))
    stray  = [*stays, f'      /* fsm = "stray|{place[0]}|{place[1]}|" */', "      default: ;"]
    return "\n".join([
        "  /* watches */", "  /* verilator coverage_off */",
        f"  reg [{width - 1}:0] {was}; reg {fresh}= 1;",
        f"  always @(posedge clk) begin {was}<= {state}; {fresh}<= rst; end",
        "  /* verilator coverage_on */",
        "  always @(posedge clk) if (!rst)", *cases("state", state, states),
        f"  always @(posedge clk) if (rst && !{fresh})", *cases("reset", state, states),
        f"  always @(posedge clk) if (!rst && !{fresh})",
        *cases("arc", f"{{{was}, {state}}}", arcs, stray),
        "  /* end of watches */", ""])
