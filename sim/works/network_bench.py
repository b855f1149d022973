"""Cycles of whole networks in RTL against their targets: ``xymac bench --networks``."""

from dataclasses import dataclass

import numpy as np

from host.cycles.floor import floor_cycles
from host.cycles.model import predict
from host.network.tflite import network_of
from host.network.traffic import Traffic, count_traffic
from host.plan.tiled import make_plan
from host.tflite.network import convert_model
from host.tflite.run import run_model

from .results import WrongResultError

__all__ = ["NetworkResult", "measure_network"]


@dataclass(frozen=True)
class NetworkResult:
    """A network in RTL, one input; cycles of all its programs, from start to interrupt each.

    Parameters
    ----------
    network : str
    cycles : int; predicted : int, by the cycle model
    floor : float, cycles that all layers take on a full array
    target : int, cycles at most; 0 for none
    compared : int, layers whose output was compared with golden; layers : int, all
    programs : int
    traffic : Traffic of one input, or None
    """

    network:   str
    cycles:    int
    predicted: int
    floor:     float
    target:    int
    compared:  int
    layers:    int
    programs:  int
    traffic:   Traffic | None = None

    @property
    def used(self):
        """Floor over cycles."""
        return self.floor / self.cycles

    @property
    def met(self):
        """Whether the cycles are within their target."""
        return not self.target or self.cycles <= self.target


def measure_network(device, name, model, target):
    """Run a Model of int8 values once on an RTL device; returns a NetworkResult.

    Every layer whose output stays in memory is compared; WrongResultError, naming the first that
    differs from golden.
    """
    network  = convert_model(model)
    rng      = np.random.default_rng(1)
    computed = run_model(model, *(rng.integers(-128, 127, x.shape, np.int8, endpoint=True)
                                  for x in network.inputs))
    results  = [computed[number].output for number in network.tensors]
    count    = network.first
    plan     = make_plan(device.config, network.nodes, *results[:count])
    plan.load(device)
    run = plan.run(device, *results[:count])
    for node, output, expected in zip(network.nodes, run.outputs, results[count:], strict=True):
        if output not in (None, expected):
            raise WrongResultError(f"The RTL result of {name}, layer {node.name}, differs from "
                                   f"golden")
    programs = [segment for part in getattr(plan, "parts", [None])
                for segment in (plan if part is None else part.plan).segments]
    floor    = sum(floor_cycles(node.layer, device.config,
                                *(results[source].shape for source in node.sources))
                   for node in network.nodes)
    return NetworkResult(
        name, run.result.counters["cycles"],
        sum(predict(program, device.config).cycles for program in programs), floor, target,
        sum(output is not None for output in run.outputs), len(network.nodes), len(programs),
        count_traffic(network_of(model, name), device.config))
