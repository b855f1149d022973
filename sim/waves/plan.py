# SPDX-License-Identifier: Apache-2.0
"""The plan for a waveform file, see ``sim/rtl/waves.h``."""

from xymac.hdl.config import SLOTS
from xymac.hdl.isa import State

from .declarations import read_declarations
from .names import name_scope

__all__ = ["GUIDE", "make_plan"]

GUIDE = "guide"  #: Scope with texts on the core's activity.
_TOP, _CORE = "harness", "core"  # module and instance in ``sim.rtl.tops``
#: Guide texts by name, with the path of the signal they decode.
_TEXTS = {"state": "state", "stall": "stall", "step": "step/kind"}
#: Texts of the guide about the pass that issues.
_PASS  = {"pass": "pass", "layer": "layer", "opcode": "opcode"}
#: Signals that tell this pass: state, live slots, slot, and the pass in each slot.
_WATCH = ("state", "issue/live", "trace/notes/slot",
          *(f"sequencer/index/{i}" for i in range(SLOTS)))


def make_plan(header, enumerations, depth=None):
    """The plan for the dump with this ``header``, the root Node of its names, and the names in the
    guide.

    ``enumerations`` as in ``read_enumerations``; ``depth``: block levels, None for all.
    """
    top    = read_declarations(header).find(_TOP)
    scope  = top.find(_CORE)
    clock  = next(variable.code for variable in top.variables if variable.name == "clk")
    tables = _Tables()
    whole  = name_scope(scope, enumerations)
    shown  = whole if depth is None else name_scope(scope, enumerations, depth)
    heart  = _heart(whole)
    texts  = [*_guide(heart, tables)]
    guide  = [f"scope {GUIDE}", "clock clk", *texts, "up"]
    body   = [f"scope {_CORE}", *_declare(shown, tables, clock), "up"]
    names  = ["clk", *(line.rpartition(" ")[2] for line in texts)]
    return "\n".join([*tables.lines(), *guide, *body, *_watch(heart)]), shown, names


def _heart(root):
    """The core's own Node, perhaps a block behind its bus."""
    inner = root.parts.get(_CORE)
    return inner if inner is not None and inner.block else root


class _Tables:
    """Text tables, each text once."""

    def __init__(self):
        self._numbers = {}

    def number(self, values):
        return self._numbers.setdefault(tuple(sorted(values.items())), len(self._numbers))

    def lines(self):
        for values in self._numbers:
            yield f"table {len(values)}"
            yield from (f"{value} {name}" for value, name in values)


def _guide(root, tables):
    for name, path in _TEXTS.items():
        node = root.at(path)
        if node is not None and node.code is not None and node.values:
            yield f"text {node.code} {tables.number(node.values)} {name}"
    if _codes(root):
        yield from (f"pass {kind} {name}" for name, kind in _PASS.items())


def _codes(root):
    """Codes of the signals that tell the pass, empty if a core lacks them."""
    nodes = [root.at(path) for path in _WATCH]
    return [node.code for node in nodes] if all(node and node.code for node in nodes) else []


def _watch(root):
    codes = _codes(root)
    return [f"watch {State.BUSY.value} {' '.join(codes)}"] if codes else []


def _declare(node, tables, clock):
    for name, part in node.parts.items():
        if part.code == clock:  # the dump has its high half alone
            yield f"clock {name}"
        elif part.code is not None:
            yield (f"text {part.code} {tables.number(part.values)} {name}" if part.values else
                   f"bits {part.code} {part.width} {name}")
        if part.parts:
            yield f"scope {name}"
            yield from _declare(part, tables, clock)
            yield "up"
