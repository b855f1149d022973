# SPDX-License-Identifier: Apache-2.0
"""A core size on a device: resources, clock and network cycles."""

from dataclasses import dataclass, field

from xymac.boards.tools.resources import KINDS
from xymac.hdl.config import FEATURES, CoreConfig
from xymac.host.network.pace import DMA, LINKS, CoreClock, find_pace, pace_of_list
from xymac.host.network.traffic import BAUD

__all__ = ["Point", "front"]


@dataclass(frozen=True)
class Point:
    """Measurements for a core size on a device.

    Parameters
    ----------
    config : CoreConfig
    device : str, as on the command line
    cells : dict, counts by kind in ``KINDS``; LUT4 is missing without synthesis
    trouble : str, reason why the size does not fit the device; empty if it fits
    clock : float, MHz
    routed : bool, whether placement and routing reached the clock; a target clock otherwise
    cycles : dict by network, cycles an input, or a str with the reason why there are none
    traffic : dict by network, host Traffic an input; None if unknown
    wrong : frozenset, networks whose result differs from golden
    link : str, in ``LINKS``: the host's way to the core; or ``DMA``
    lists : dict by network, DMA ListCycles; None if there is no image
    """

    config:  CoreConfig
    device:  str
    cells:   dict
    trouble: str
    clock:   float
    routed:  bool = False
    cycles:  dict = field(default_factory=dict)
    traffic: dict = field(default_factory=dict)
    wrong:   frozenset = frozenset()
    link:    str = LINKS[0]
    lists:   dict = field(default_factory=dict)

    @property
    def command(self):
        """Command line to build the core."""
        return f"xymac fit --size {self.config.name} --device {self.device}"

    @property
    def luts(self):
        """LUT4, or None without synthesis."""
        return self.cells.get(KINDS[0])

    def pace(self, network):
        """Pace of a network's inputs, transfers over ``link`` included; None if the core or the
        device is too small, or if the host words are unknown.
        """
        cycles, traffic = self.cycles.get(network), self.traffic.get(network)
        if self.trouble or not isinstance(cycles, int) or not cycles:
            return None
        clock = CoreClock(self.clock, BAUD)
        if self.link == DMA:
            listed = self.lists.get(network)
            return None if listed is None else pace_of_list(listed, clock)
        return None if traffic is None else find_pace(cycles, traffic, clock, self.link)

    def rate(self, network):
        """A network's inputs per second, end to end; None as for ``pace``."""
        pace = self.pace(network)
        return None if pace is None else pace.rate

    def _host(self, network):
        traffic = self.traffic.get(network)
        return {"words": None if traffic is None else traffic.words,
                "host": None if traffic is None else traffic.as_json(self.clock)}

    def row(self):
        """JSON report row."""
        size = self.config
        return {"size": size.name, "ways": size.ways, "x_rows": size.x_rows, "y_rows": size.y_rows,
                "passes": size.passes, "slots": size.slots,
                **{feature: size.has(feature) for feature in FEATURES}, "device": self.device,
                "fits": not self.trouble, "trouble": self.trouble or None,
                **{kind: self.cells.get(kind) for kind in KINDS}, "clock": self.clock,
                "routed": self.routed, "command": self.command, "networks": {
                    name: {"cycles": cycles if isinstance(cycles, int) else None,
                           "reason": None if isinstance(cycles, int) else cycles,
                           "rate": self.rate(name), "link": self.link,
                           "limit": None if self.pace(name) is None else self.pace(name).limit,
                           **self._host(name)}
                    for name, cycles in self.cycles.items()}}


def front(points, network):
    """A network's Pareto-optimal Points, by LUT4."""
    best, kept = 0.0, []
    known = [(point.luts, -rate, point) for point in points
             if point.luts is not None and (rate := point.rate(network)) is not None]
    for _, rate, point in sorted(known, key=lambda entry: entry[:2]):
        if -rate > best:
            best = -rate
            kept.append(point)
    return kept
