# SPDX-License-Identifier: Apache-2.0
"""Fabricated evidence and items for tests."""

from types import SimpleNamespace

from xymac.sim.signoff.item import Item
from xymac.sim.signoff.need import Need

__all__ = ["COUNTS", "counted", "evidence", "item", "least"]

#: Counts with goals.
COUNTS = Need("formal", "files: *", asked=True)


def evidence(figures, *changed, **fields):
    """Evidence with figures (dict) whose places ``changed``."""
    return SimpleNamespace(**{
        "figures": figures, "changed": [*changed], "exclusions": [], "survivors": [], "seed": 7,
        "time": "2026-01-02T03:04:05Z", "command": "make formal",
        "versions": {"python": "3.11.7"}} | fields)


def item(*needs, **fields):
    """An Item with needs."""
    return Item("V1", "proofs", "All is proved", "make formal", needs, **fields)


def counted(**counts):
    """Counts that are asked to be 100,000."""
    return {name: value for kind, count in counts.items()
            for name, value in ((f"files: {kind}", count), (f"files: {kind}, asked", 100_000))}


def least(figure, value):
    """A Need for a figure from ``value`` on."""
    return Need("formal", figure, least=value)
