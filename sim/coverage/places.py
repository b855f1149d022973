# SPDX-License-Identifier: Apache-2.0
"""Amaranth source positions for all Verilog lines counted by Verilator."""

import re
from dataclasses import dataclass, field

__all__ = ["Places", "Signal", "find_places"]

_MODULE      = re.compile(r"module (\S+)")
_DECLARATION = re.compile(r"\s*(?:(?:input|output|wire|reg) )(?:signed )?(?:\[(\d+):\d+\] )?"
                          r"(\\\S+|\w+) ?(?:;|=)")
_ATTRIBUTE   = re.compile(r'\s*\(\* (\w+) = +"?(.*?)"? \*\)$')
_COMMENT     = re.compile(r'\s*/\* (arm|fsm) = "(.*)" \*/$')
_SOURCE      = re.compile(r'\(\* src = "([^"]*)" \*\)')
_OPERAND     = re.compile(r"(?:\\(\S+) ?|\b([A-Za-z_]\w*))(\[\d+(?::\d+)?\])?")


@dataclass(frozen=True)
class Signal:
    """A named signal: position (file, line), name, width in bits, constant bits."""

    place: tuple
    name:  str
    width: int
    fixed: frozenset


@dataclass
class Places:
    """Source positions by Verilog line number, the key in each attribute.

    Parameters
    ----------
    signals : {line: Signal}, declarations
    ifs : {line: (branch taken, branch not taken)}, branch numbers
    cases : {line: branch}
    machines : {line: (kind, place, detail)}, watches on state machines
    cells : {line: (place, module, operator)}, operators
    operands : {line: operand names in order}
    modules : {branch: module}
    """

    signals:  dict = field(default_factory=dict)
    ifs:      dict = field(default_factory=dict)
    cases:    dict = field(default_factory=dict)
    machines: dict = field(default_factory=dict)
    cells:    dict = field(default_factory=dict)
    operands: dict = field(default_factory=dict)
    modules:  dict = field(default_factory=dict)


def find_places(verilog):
    """Return the ``Places`` in Verilog written by ``xymac.sim.build.annotate``."""
    reader = _Reader()
    for number, line in enumerate(verilog.splitlines(), 1):
        reader.read(number, line)
    return reader.places


class _Reader:
    """Reads Verilog lines in order; attributes and comments belong to the next line."""

    def __init__(self):
        self.places   = Places()
        self._module  = ""
        self._waiting = {}
        self._signals = {}
        self._chains  = {}  # by indentation: the branches left of a chain of conditions

    def read(self, number, line):
        if attribute := _ATTRIBUTE.match(line) or _COMMENT.match(line):
            self._waiting[attribute[1]] = attribute[2]
            return
        waiting, self._waiting = self._waiting, {}
        if module := _MODULE.match(line):
            self._module, self._signals, self._chains = module[1], {}, {}
        elif declaration := _DECLARATION.match(line):
            self._declare(number, declaration, waiting)
        elif "arms" in waiting:
            self._begin(number, line, waiting)
        elif "arm" in waiting:
            self.places.cases[number] = int(waiting["arm"])
        elif "fsm" in waiting:
            kind, file, at, detail = waiting["fsm"].split("|")
            self.places.machines[number] = kind, (file, int(at)), detail
        elif line.lstrip().startswith("end else if"):
            self._continue(number, line)
        elif source := _SOURCE.search(line):
            self._cell(number, line, source)

    def _declare(self, number, declaration, waiting):
        top, name = declaration.groups()
        if "src" in waiting:
            fixed = waiting.get("fixed", "")
            plain = re.sub(r"\$\d+$", "", name.removeprefix("\\"))
            self._signals[name] = Signal(_place(waiting["src"]), plain, int(top or 0) + 1,
                                         frozenset(map(int, fixed.split(","))) if fixed else
                                         frozenset())
        if name in self._signals:
            self.places.signals[number] = self._signals[name]

    def _begin(self, number, line, waiting):
        arms = [int(arm) for arm in waiting["arms"].split(",")]
        self.places.modules.update(dict.fromkeys(arms, self._module))
        if line.lstrip().startswith("if ("):
            self._chains[_indent(line)] = arms
            self._continue(number, line)

    def _continue(self, number, line):
        chain = self._chains.get(_indent(line))
        if chain:
            self.places.ifs[number] = chain.pop(0), chain[0] if chain else None

    def _cell(self, number, line, source):
        operator = "" if " ? " not in line else "?"
        self.places.cells[number] = _place(source[1]), self._module, operator
        text = (line[:source.start()] + line[source.end():]).partition("= ")[2]
        self.places.operands[number] = [
            (escaped or plain) + (bit or "")
            for escaped, plain, bit in (match.groups() for match in _OPERAND.finditer(text))]


def _indent(line):
    return len(line) - len(line.lstrip())


def _place(source):
    file, line = source.split("|")[0].rsplit(":", 1)
    return file, int(line)
