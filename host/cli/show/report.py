# SPDX-License-Identifier: Apache-2.0
"""Sentences for ``xymac run``."""

from xymac.host.plural import plural

__all__ = ["describe_traffic", "pace", "verdict"]

_NAMES = {"machine": "Machine", "rtl": "RTL", "serial": "Board"}


def pace(backend, inference):
    """Sentence on an Inference's cycles and time on a device with a clock."""
    cycles = inference.cycles
    if backend == "serial":
        return f"{cycles:,} cycles in {inference.seconds:.2f} s, what went over the port included"
    rate = f"{cycles / inference.seconds:,.0f} simulated cycles a second"
    if inference.jobs == 1:
        return f"{cycles:,} cycles in {inference.seconds:.2f} s: {rate}"
    return (f"{cycles:,} cycles in {inference.elapsed:.2f} s in {inference.jobs} processes: "
            f"{cycles / inference.elapsed:,.0f} simulated cycles a second, {rate.split()[0]} in "
            f"each")


def describe_traffic(traffic, cost):
    """Sentence on an input's Traffic next to the total LayerCost."""
    if traffic is None:
        return "Words of the host are not counted: it computes between programs of the core"
    return traffic.describe(cost.cycles if cost.counters is not None else None)


def verdict(backend, network, inference):
    """Sentence on whether the backend gave the golden results."""
    if backend == "golden":
        return "Computed by the golden kernels alone"
    name, difference = _NAMES.get(backend, backend), inference.difference
    if difference is None:
        count = len(inference.predictions)
        return (f"{name} = golden, bit for bit: {inference.compared} of {len(network.layers)} "
                f"layers of {plural(count, 'image')} compared")
    title = network.nodes[difference.layer].title
    return (f"{name} differs from golden first at image {difference.image}, "
            f"{title[0].lower()}{title[1:]}, {difference.what}: {difference.actual}, "
            f"expected {difference.expected}")
