# SPDX-License-Identifier: Apache-2.0
"""Predict a network's cycles on a core, without running it."""

from xymac.host.cycles.model import predict
from xymac.host.device.device import MachineDevice

from .session import Session

__all__ = ["predict_cycles", "predict_plan"]


def predict_cycles(network, config):
    """Predicted cycles per input on a CoreConfig's core: sum over all programs, start to interrupt.

    Host layers cost no cycles. InputError, with the reason, if the core cannot hold the network.
    """
    with MachineDevice(config) as device:
        return predict_plan(Session(network, device).plan, config)


def predict_plan(plan, config):
    """A Session plan's predicted cycles; None for a network computed by the host alone."""
    segments = () if plan is None else plan.segments
    return sum(predict(segment, config).cycles for segment in segments)
