"""One size in one device: what it takes, its clock, and what networks cost on it."""

from dataclasses import dataclass, field

from boards.tools.resources import KINDS
from hdl.config import FEATURES, CoreConfig

__all__ = ["Point", "front"]


@dataclass(frozen=True)
class Point:
    """What is known of a size.

    Parameters
    ----------
    config : CoreConfig
    device : str, of the command line
    cells : dict, counts by kind of ``KINDS``; LUT4 is missing without synthesis
    trouble : str, why it does not fit the device; empty if it does
    clock : float, MHz
    routed : bool, the clock was reached in placement and routing; otherwise it is what they aim for
    cycles : dict, cycles of an input, or a str that says why there are none, by network
    traffic : dict, Traffic of the host for an input, by network; None if unknown
    wrong : frozenset of the networks whose result was not that of golden
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

    @property
    def command(self):
        """The command that builds it."""
        return f"xymac fit --size {self.config.name} --device {self.device}"

    @property
    def luts(self):
        """LUT4, or None if they are not known."""
        return self.cells.get(KINDS[0])

    def rate(self, network):
        """Inputs of a network a second; None for one that it cannot hold, or if it does not fit."""
        cycles = self.cycles.get(network)
        if self.trouble or not isinstance(cycles, int) or not cycles:
            return None
        return 1e6 * self.clock / cycles

    def _host(self, network):
        traffic = self.traffic.get(network)
        return {"words": None if traffic is None else traffic.words,
                "host": None if traffic is None else traffic.as_json(self.clock)}

    def row(self):
        """What JSON holds of it."""
        size = self.config
        return {"size": size.name, "ways": size.ways, "x_rows": size.x_rows, "y_rows": size.y_rows,
                "passes": size.passes, "slots": size.slots,
                **{feature: size.has(feature) for feature in FEATURES}, "device": self.device,
                "fits": not self.trouble, "trouble": self.trouble or None,
                **{kind: self.cells.get(kind) for kind in KINDS}, "clock": self.clock,
                "routed": self.routed, "command": self.command, "networks": {
                    name: {"cycles": cycles if isinstance(cycles, int) else None,
                           "reason": None if isinstance(cycles, int) else cycles,
                           "rate": self.rate(name), **self._host(name)}
                    for name, cycles in self.cycles.items()}}


def front(points, network):
    """Of the Points that fit those than which no other one is as fast with fewer LUT4, or faster
    with as many; by LUT4."""
    best, kept = 0.0, []
    known = [(point.luts, -rate, point) for point in points
             if point.luts is not None and (rate := point.rate(network)) is not None]
    for _, rate, point in sorted(known, key=lambda entry: entry[:2]):
        if -rate > best:
            best = -rate
            kept.append(point)
    return kept
