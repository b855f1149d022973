# SPDX-License-Identifier: Apache-2.0
"""Coverage points in lines of the Amaranth sources, and how often simulations hit them.

All instances of a component share a point, which counts as hit if any instance hits it. Several
branches or operators of the same kind in a line, as in a Python loop, are separate points, numbered
in hardware order. A component built with other parameters, whose count in this line differs, has
separate points.
"""

import collections
import json
import re
from pathlib import Path
from typing import NamedTuple

import xymac.hdl

from .places import find_places

__all__ = ["CROSS", "KINDS", "Model", "Point", "count_files"]

#: Point kinds, in table order.
KINDS = ("line", "branch", "expression", "toggle", "state", "arc", "reset")
#: Kind of points that are combinations of values, in no line of their own.
CROSS = "cross"

_ROOT  = Path(xymac.hdl.__file__).resolve().parent
_ENTRY = re.compile(rb"^C '.*?\x01l\x02(\d+)\x01.*?\x01page\x02v_(\w+)/.*?\x01o\x02(.*?)\x01"
                    rb".* (\d+)$")
_LAST  = re.compile(r"(.*?)(\[\d+\])?", re.DOTALL)
_BIT   = re.compile(r"(?:\[(\d+)\])?:(\d->\d)$")
_ROWS  = {b"if": 0, b"elsif": 0, b"else": 1}


class Point(NamedTuple):
    """A point: file within the source folder, line, kind, detail.

    The kind is in ``KINDS``, or it is ``CROSS`` or "stray".
    """

    file:   str
    line:   int
    kind:   str
    detail: str


class Model:
    """A simulated component with counted coverage.

    Parameters
    ----------
    described : str, JSON text from the file beside the counters
    root : Path, folder with the sources whose points count
    """

    def __init__(self, described, root=_ROOT):
        content     = json.loads(described)
        self._root  = str(root)
        self.name   = content["name"]
        self._arms  = content["arms"]
        self._place = find_places(content["verilog"])
        self._conditions = _order_conditions(self._arms, self._place.modules)
        self._cells      = _order_cells(self._place.cells)

    def count(self, counters):
        """Return {Point: hits} for a counter file's content, bytes.

        ValueError if the file is damaged.
        """
        counts, arms = collections.Counter(), collections.Counter()
        for line in counters.splitlines():
            entry = _ENTRY.match(line)
            if entry is None:
                if line.startswith(b"C "):
                    raise ValueError(f"There is no counter in the line {line[:100]!r}")
                continue
            number, page, comment, hits = int(entry[1]), entry[2], entry[3], int(entry[4])
            if page == b"toggle":
                self._toggle(counts, number, comment, hits)
            elif page == b"expr":
                self._cell(counts, number, self._expression(number, comment), "expression", hits)
            elif comment in (b"cond_then", b"cond_else"):
                self._cell(counts, number, f"Mux, {comment.decode()[5:]}", "branch", hits)
            else:
                self._arm(counts, arms, number, comment, hits)
        self._branches(counts, arms)
        return counts

    def _toggle(self, counts, number, comment, hits):
        signal = self._place.signals.get(number)
        if signal is None:
            return
        bit, way = _BIT.search(comment.decode()).groups()
        if int(bit or 0) not in signal.fixed:
            name = signal.name + (f"[{bit}]" if signal.width > 1 else "")
            self._add(counts, signal.place, "toggle", f"{name} {way}", hits)

    def _cell(self, counts, number, detail, kind, hits):
        if number in self._cells:
            place, which = self._cells[number]
            self._add(counts, place, kind, which + detail, hits)

    def _expression(self, number, comment):
        return _expression(comment.decode(), self._place.operands.get(number, ()))

    def _arm(self, counts, arms, number, comment, hits):
        """Count a branch: several signals have blocks with this branch, which run equally often."""
        if number in self._place.machines:
            kind, place, detail = self._place.machines[number]
            self._add(counts, place, kind, detail, hits)
        elif comment == b"case":
            arms[self._place.cases.get(number)] += hits
        elif comment in _ROWS:
            arms[self._place.ifs.get(number, (None, None))[_ROWS[comment]]] += hits

    def _branches(self, counts, arms):
        taken = collections.Counter()
        for number, hits in arms.items():
            if number is not None:
                for place in {tuple(place) for place in self._arms[number]["lines"]}:
                    self._most(counts, place, "line", "", hits)
                condition = self._arms[number]["condition"]
                if self._arms[number]["place"] is not None:
                    taken[condition] = max(taken[condition], hits)
        for condition, hits in taken.items():
            place, detail = self._conditions[condition]
            self._add(counts, place, "branch", detail, hits)

    def _add(self, counts, place, kind, detail, hits):
        if (point := self._point(place, kind, detail)) is not None:
            counts[point] += hits

    def _most(self, counts, place, kind, detail, hits):
        if (point := self._point(place, kind, detail)) is not None:
            counts[point] = max(counts[point], hits)

    def _point(self, place, kind, detail):
        file, line = place
        if not file.startswith(self._root + "/"):
            return None  # Amaranth's own, such as the reset of a register
        return Point(file[len(self._root) + 1:], line, kind, detail)


def _order_conditions(arms, modules):
    """{condition: (place, detail)}: a module's conditions in the same place are numbered.

    A condition without a place, as from a ``ResetInserter``, has no entry.
    """
    groups = collections.defaultdict(dict)
    for number, arm in enumerate(arms):
        if number in modules and arm["place"] is not None:
            group = groups[modules[number], tuple(arm["place"]), arm["kind"]]
            group[arm["condition"]] = None
    ordered = {}
    for (_module, place, kind), conditions in groups.items():
        for which, condition in enumerate(conditions):
            ordered[condition] = place, _which(which, len(conditions)) + kind
    return ordered


def _order_cells(cells):
    """{Verilog line: (place, prefix)}: a module's operators in the same place are numbered."""
    groups = collections.defaultdict(list)
    for number, key in cells.items():
        groups[key].append(number)
    return {number: (place, _which(which, len(numbers)))
            for (place, _module, _operator), numbers in groups.items()
            for which, number in enumerate(numbers)}


def _which(index, count):
    return "" if count == 1 else f"{index + 1} of {count}: "


def _expression(comment, operands):
    """A Verilator ``comment``, such as "(step[4]==1 && $8==1) => 1", with letters for the operand
    names, which differ between instances.
    """
    letters = dict(zip(dict.fromkeys(operands), "abcdefghijklmnopqrstuvwxyz", strict=False))
    terms, result = comment.removeprefix("(").rsplit(") => ", 1)
    named = [_rename(*term.rsplit("==", 1), letters) for term in terms.split(" && ")]
    return f"({' && '.join(named)}) => {result}"


def _rename(name, value, letters):
    """A term with its operand's letter; the operand may be a single bit out of several."""
    if name in letters:
        return f"{letters[name]}=={value}"
    whole, bit = _LAST.fullmatch(name).groups()
    return f"{letters.get(whole, 'a')}{bit or ''}=={value}"


def count_files(folder, root=_ROOT):
    """Yield (model name, {Point: hits}) for each counter file in ``folder``."""
    for beside in sorted(Path(folder).glob("*.json")):
        model = None
        for path in sorted(Path(folder).glob(f"{beside.stem}.*.dat")):
            model = model or Model(beside.read_text(), root)
            yield model.name, model.count(path.read_bytes())
