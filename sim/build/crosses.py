# SPDX-License-Identifier: Apache-2.0
"""Functional coverage crosses in the core's Verilog: a case statement per combination.

A cross samples the core in the cycles of an event and counts the combinations of its axes' values,
such as host access and program state, or fault and fetch state.
"""

import inspect
import itertools
from dataclasses import dataclass

from xymac.hdl.core.core import Core
from xymac.hdl.isa import Control, Register, State, Status

__all__ = ["CROSSES", "Cross", "watch_crosses"]


@dataclass(frozen=True)
class Cross:
    """Value combinations at an event.

    Parameters
    ----------
    name : str
    when : str, Verilog condition, true in the event's cycles
    axes : tuple of dicts {value name: Verilog condition}
    """

    name: str
    when: str
    axes: tuple

    def combinations(self):
        """Yield (name, Verilog condition) per combination."""
        for values in itertools.product(*(axis.items() for axis in self.axes)):
            yield (", ".join(name for name, _ in values),
                   " && ".join(f"({verilog})" for _, verilog in (("", self.when), *values)))


def _values(signal, of, *left_out):
    """Axis with the enumeration values ``of``, except ``left_out``."""
    return {each.name.lower().replace("_", " "): f"{signal} == {each.value}" for each in of
            if each not in left_out}


def _accesses():
    """Axis of host requests: region and direction."""
    hits = {"X": "rw", "Y": "rw", "registers": "rw", "program": "w", "tables": "w", "places": "w",
            "trace": "r"}
    ways = {"r": ("read", "!"), "w": ("write", "")}
    chosen = [(name, f"host.\\hit.{name.lower()}  ", way) for name, access in hits.items()
              for way in access]
    chosen += [("no region", "host.hit == 0", way) for way in "rw"]
    return {f"{ways[way][0]} {name}": f"({hit}) && {ways[way][1]}(host.\\request.write )"
            for name, hit, way in chosen}


_DECODE  = "host.fsm_state == 1"
_COMMAND = f"registers.register_write[0] && registers.register == {Register.CONTROL.value}"
_FETCH  = {name: f"sequencer.fsm_state == {number}" for number, name in enumerate(
    ("fetch waits", "fetch claims a slot", "fetch loads", "fetch judges"))}
_STATUS = _values("sequencer.outcome.status", Status, Status.OK)
#: Faults during computation; a write fault gets its status once all results are written.
_ISSUED = _values("sequencer.outcome.status", (
    Status.X_ACCESS, Status.Y_ACCESS, Status.EMPTY, Status.STOPPED)) | {
    "z access": "sequencer.outcome.status == 0"}

#: All crosses; names are relative to the core's module.
CROSSES = (
    Cross("access of the host x program state", _DECODE, (_accesses(), _values("state", State))),
    Cross("command x program state", _COMMAND, (
        {each.name.lower(): f"(registers.register_data & {each.value}) != 0"
         for each in (Control.START, Control.CLEAR, Control.STOP)}, _values("state", State))),
    Cross("fault at issue x fetch", "sequencer.outcome.flush && !sequencer.outcome.flushed",
          (_ISSUED, _FETCH)),
    Cross("fault x pass", "cross_fault", (_STATUS, {
        "first pass": "sequencer.outcome.pass_ == registers.first",
        "later pass": "sequencer.outcome.pass_ != registers.first"})),
    Cross("fault x host", "cross_fault", (_STATUS, {
        "host is idle": "host.fsm_state == 0", "host has a request": "host.fsm_state != 0"})),
)
#: Signals shared by the crosses.
_SIGNALS = (
    "  reg [1:0] cross_was;",
    f"  wire cross_fault = state == {State.FAULT.value} && cross_was != {State.FAULT.value};",
    "  always @(posedge clk) cross_was <= state;")


def watch_crosses(text, component):
    """Add ``CROSSES`` to the Verilog ``text`` if ``component`` is a Core; returns the text."""
    if not isinstance(component, Core):
        return text
    file, line = inspect.getsourcefile(Core), inspect.getsourcelines(Core)[1]
    end   = text.index("\nendmodule", text.index("\nmodule top(")) + 1
    watch = ["  /* watches */", "  /* verilator coverage_off */", *_SIGNALS,
             "  /* verilator coverage_on */", "  always @(posedge clk) if (!rst) begin"]
    for cross in CROSSES:
        for name, verilog in cross.combinations():
            watch += [f"    casez ({verilog})",
                      f'      /* fsm = "cross|{file}|{line}|{cross.name}: {name}" */',
                      "      1'b1: ;", "      default: ;", "    endcase"]
    return "\n".join([text[:end].rstrip("\n"), *watch, "  end", "  /* end of watches */", ""]
                     ) + text[end:]
