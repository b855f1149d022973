# SPDX-License-Identifier: Apache-2.0
"""Every document table by name, in an order in which the tables can be made."""

from functools import partial

from . import (
    absent,
    accuracy,
    benchmarks,
    boards,
    commands,
    compact,
    contract,
    headline,
    layers,
    networks,
    operators,
    pace,
    proofs,
    vectors,
)
from .table import Cost, Table

__all__ = ["TABLES"]

TABLES = {
    "sizes":     Table(contract.sizes),
    "limits":    Table(contract.limits),
    "registers": Table(contract.registers),
    "regions":   Table(contract.regions),
    "operations": Table(contract.operations),
    "status":    Table(contract.status_codes),
    "ports":     Table(contract.ports),
    "commands":  Table(commands.commands),
    "entries":   Table(commands.entries),
    "absent":    Table(absent.absent),
    "designs":   Table(boards.designs),
    "proofs":    Table(proofs.proofs),
    "wrapped":   Table(vectors.wrapped),
    "operators": Table(operators.operators),
    "demo":      Table(layers.demo, Cost.SIMULATED),
    "accuracy":  Table(accuracy.accuracy, Cost.SIMULATED),
    **{f"run {name}": Table(partial(layers.shipped, name), Cost.SIMULATED)
       for name in layers.DIGITS},
    "run cifar10_large_fx8": Table(partial(layers.benchmark_network, "cifar10_large_fx8"),
                                   Cost.SIMULATED),
    **{f"run {name}": Table(partial(layers.vendor_network, name), Cost.VENDOR)
       for name in ("cifar10_fx8", "har_fx8")},
    "benchmarks":     Table(benchmarks.benchmarks, Cost.SIMULATED),
    "networks":  Table(networks.networks, Cost.SIMULATED),
    "pace":      Table(pace.paces, Cost.SIMULATED),
    "gaps":      Table(benchmarks.gaps, Cost.SIMULATED),
    "compact":   Table(compact.rates, Cost.SIMULATED),
    **{f"check {dialect}": Table(partial(vectors.checks, dialect), Cost.SIMULATED)
       for dialect in vectors.DIALECTS},
    "boards":    Table(boards.fitted, Cost.HOURS),
    "alone":     Table(boards.alone, Cost.HOURS),
    "unrouted":  Table(boards.unrouted, Cost.HOURS),
    # These read what was measured out of the tables above.
    "supported": Table(vectors.supported),
    "headline":  Table(headline.headline),
}
