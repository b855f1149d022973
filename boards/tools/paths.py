# SPDX-License-Identifier: Apache-2.0
"""A routed design's worst timing paths, each to another end register."""

import re
from dataclasses import asdict, dataclass
from itertools import groupby

from .rtlil import plain_name

__all__ = ["PATHS", "TimingPath", "path_lines", "signal_name", "worst_paths"]

PATHS  = 10  #: Number of paths in every fit's report.
#: Suffixes that yosys and nextpnr append to a signal name to form a cell name.
_CELL  = re.compile(r"_(?:LUT\d|CCU2C|PFUMX|L6MUX21|TRELLIS_\w+|DP16KD|MULT18X18D|SB_[A-Z]\w*)"
                    r"(?![a-z]).*|\$(?:CCU2|DPR|RAMW|PFUMX|L6MUX|nextpnr|tr_io|sb_io|LC|DFF|glb|gbuf).*$"
                    r"|(?:\.\d+){2}(?:[_$].*)?$")
_INDEX = re.compile(r"\[\d+\]$")


@dataclass(frozen=True)
class TimingPath:
    """A path from register to register; delays in ns.

    Parameters
    ----------
    start, end : str, first and last signal, names in the source
    delay : float, total delay, including the last register's setup time
    logic, routing : float, the delay's logic part and routing part
    cells : int, cells between both registers; each carry chain bit counts
    ends : int, last-register bits with a path from the same clock
    signals : tuple of str, signals along the path
    """

    start:   str
    end:     str
    delay:   float
    logic:   float
    routing: float
    cells:   int
    ends:    int
    signals: tuple

    def row(self):
        """The path's JSON form."""
        return asdict(self)


def signal_name(cell):
    """Source signal from whose name yosys and nextpnr derived a cell's name."""
    return plain_name(_CELL.sub("", cell.replace("\\", "")))


def worst_paths(delays, like, count=PATHS):
    """A clock's ``count`` slowest TimingPaths, each to another register, slowest first.

    Parameters
    ----------
    delays : sdf.Delays
    like : str, name for a cell with this clock

    The slowest bit represents its register.
    """
    clock = next((_clock_of(delays, (like, port)) for cell, port in delays.checks if cell == like),
                 None)
    timing, ends = _Arrivals(delays, clock), {}
    for pin, (_, setup) in delays.checks.items():
        if clock is not None and _clock_of(delays, pin) == clock and pin in delays.wires:
            driver, wire = delays.wires[pin]
            if arrival := timing.at(driver):
                name = _INDEX.sub("", signal_name(pin[0]))
                ends.setdefault(name, []).append((arrival[0] + wire + setup, pin))
    worst = sorted((max(bits), name) for name, bits in ends.items())[:-count - 1:-1]
    return [_trace(timing, pin, delay, len({cell for _, (cell, _) in ends[name]}))
            for (delay, pin), name in worst]


def _clock_of(delays, pin):
    """The pin driving a data pin's clock."""
    clock, _ = delays.checks[pin]
    return delays.wires.get((pin[0], clock), (None,))[0]


class _Arrivals:
    """Latest arrival times at output pins after a clock edge."""

    def __init__(self, delays, clock):
        self.delays, self._clock = delays, clock
        self._clocked = {}  # clock ports by cell
        for (cell, _), (port, _) in delays.checks.items():
            self._clocked.setdefault(cell, set()).add(port)
        self._known = {}  # by output pin: arrival, latest driver, delay of the wire from there

    def at(self, pin):
        """Arrival at an output pin in ns, the latest driver, and the wire delay from there.

        The driver is None at a register. Returns None if no register on the clock leads to the pin.
        """
        stack, opened = [pin], set()
        while stack:
            here = stack[-1]
            waits = [source for source, _, _ in self._sources(here)
                     if source and source not in self._known and source not in opened]
            opened.add(here)
            if waits and here not in self._known:
                stack += waits
                continue
            stack.pop()
            if here not in self._known:
                self._known[here] = max(self._arrivals(here), default=None)
        return self._known[pin]

    def _arrivals(self, pin):
        """All arrivals at an output pin; an arrival through a combinational loop is ignored."""
        for source, delay, wire in self._sources(pin):
            if not source:
                yield delay, source, wire
            elif before := self._known.get(source):
                yield before[0] + wire + delay, source, wire

    def _sources(self, pin):
        """Yield the driver of each input that an output depends on, with cell and wire delay.

        The driver is () for a register's clock.
        """
        cell, _ = pin
        clocks = self._clocked.get(cell, ())
        for port, delay in self.delays.arcs.get(pin, ()):
            source, wire = self.delays.wires.get((cell, port), ((), 0.0))
            if port in clocks:
                if source == self._clock:
                    yield (), delay, 0.0
            elif source:
                yield source, delay, wire


def _trace(timing, end, delay, ends):
    """Build the TimingPath to a data pin."""
    source, wire = timing.delays.wires[end]
    routing, cells = wire, [end[0]]
    while source:
        cells.append(source[0])
        _, source, wire = timing.at(source)
        routing += wire
    names = [name for name, _ in groupby(filter(None, map(signal_name, reversed(cells))))]
    return TimingPath(names[0], names[-1], round(delay, 3), round(delay - routing, 3),
                      round(routing, 3), len(cells) - 2, ends, tuple(names))


def path_lines(paths):
    """Text lines for TimingPaths."""
    for number, path in enumerate(paths, 1):
        bits = f", {path.ends} bits" * (path.ends > 1)
        yield (f"{number}. {path.delay:.2f} ns (logic {path.logic:.2f}, routing "
               f"{path.routing:.2f}, {path.cells} cells{bits})")
        yield f"   {' > '.join(path.signals)}"
