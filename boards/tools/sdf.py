# SPDX-License-Identifier: Apache-2.0
"""Delays from nextpnr in the Standard Delay Format (SDF, IEEE 1497)."""

import re
from collections import defaultdict
from dataclasses import dataclass, field

__all__ = ["Delays", "read_sdf"]

_WORD     = re.compile(r"\((INSTANCE|INTERCONNECT|IOPATH|SETUPHOLD) ?(.*)\)")
_ESCAPE   = re.compile(r"\\(.)")
_TRIPLE   = re.compile(r"\([-\d.]*:[-\d.]*:([-\d.]+)\)")  # least, typical, most
_PS       = 1000  # a ns


@dataclass
class Delays:
    """A design's maximum delays in ns. A pin is (cell, port).

    Parameters
    ----------
    wires : dict, by reading pin: the driving pin, and the wire delay
    arcs : dict, by output pin: a list of (the cell's input port, delay)
    checks : dict, by data pin: the cell's clock port, and the setup time
    """

    wires:  dict = field(default_factory=dict)
    arcs:   dict = field(default_factory=lambda: defaultdict(list))
    checks: dict = field(default_factory=dict)


def read_sdf(lines):
    """Parse nextpnr SDF file lines, an entry a line, into Delays."""
    delays, cell = Delays(), ""
    for line in lines:
        if not (entry := _WORD.search(line)):
            continue
        kind, rest = entry.groups()
        if kind == "INSTANCE":
            cell = _plain(rest)
            continue
        times = [float(time) / _PS for time in _TRIPLE.findall(rest)]
        names = rest.replace("(posedge ", "").replace("(negedge ", "").replace(")", "").split()[:2]
        if kind == "INTERCONNECT":
            driver, reader = (tuple(_plain(name).rsplit("/", 1)) for name in names)
            delays.wires[reader] = driver, max(times)
        elif kind == "IOPATH":
            delays.arcs[cell, names[1]].append((names[0], max(times)))
        else:
            delays.checks[cell, names[0]] = names[1], times[0]
    return delays


def _plain(name):
    """Name without escapes."""
    return _ESCAPE.sub(r"\1", name)
