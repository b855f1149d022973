# SPDX-License-Identifier: Apache-2.0
"""Cycles for whole networks in RTL against their targets: ``xymac bench --networks``."""

from dataclasses import dataclass

from xymac.host.network.cost import layer_costs, total_cost
from xymac.host.network.inference import Inference, each_input, run_image
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.predicted import predict_plan
from xymac.host.network.session import Session
from xymac.host.network.traffic import Traffic, count_traffic

from .results import WrongResultError

__all__ = ["NetworkResult", "measure_network"]

SEED = 1  #: Seed of the input.


@dataclass(frozen=True)
class NetworkResult:
    """A network in RTL on a single input; cycles are summed over its programs, start to interrupt.

    Parameters
    ----------
    network : str
    cycles : int, 0 if the host computes everything; predicted : int, by the cycle model
    ideal : float, ideal cycles over all layers
    target : int, cycle limit; 0 for none
    compared : int, count of layers compared with golden; layers : int, layer count
    programs : int
    traffic : Traffic per input, or None
    costs : tuple of LayerCost, for every layer
    """

    network:   str
    cycles:    int
    predicted: int
    ideal:     float
    target:    int
    compared:  int
    layers:    int
    programs:  int
    traffic:   Traffic | None = None
    costs:     tuple = ()

    @property
    def used(self):
        """Ideal cycles divided by cycles; None without cycles."""
        return self.ideal / self.cycles if self.cycles else None

    @property
    def met(self):
        """Whether the cycles are within their target."""
        return not self.target or self.cycles <= self.target


def measure_network(device, network, target=0):
    """Run a Network on an RTL device with a random input: a NetworkResult.

    All device layers are compared; WrongResultError names the first that differs from golden.
    InputError if the device cannot hold the network.
    """
    config    = device.config
    session   = Session(network, device)
    inference = Inference()
    inference.add(run_image(session, next(each_input(random_images(network, SEED).data)), 0))
    if inference.difference is not None:
        node = network.nodes[inference.difference.layer]
        raise WrongResultError(f"The RTL result of {network.name}, {node.title[0].lower()}"
                               f"{node.title[1:]}, differs from golden")
    costs = layer_costs(network, inference, config)
    plan  = session.plan
    return NetworkResult(
        network.name, inference.cycles, predict_plan(plan, config), total_cost(costs).ideal,
        target, inference.compared, len(network.nodes), 0 if plan is None else len(plan.segments),
        count_traffic(network, config), tuple(costs))
