# SPDX-License-Identifier: Apache-2.0
"""Predicted cycles of a network on a core, without running it."""

from xymac.host.cycles.model import predict
from xymac.host.device.device import MachineDevice

from .session import Session

__all__ = ["predict_cycles", "predict_plan"]


def predict_cycles(network, config):
    """Predicted cycles of one input on the core of a CoreConfig: sum over all programs, start to
    interrupt.

    Work of the host costs no cycles. InputError, with the reason, if the core cannot hold the
    network.
    """
    with MachineDevice(config) as device:
        return predict_plan(Session(network, device).plan, config)


def predict_plan(plan, config):
    """Predicted cycles of a Session's plan; None for a plan that the host computes completely."""
    segments = () if plan is None else plan.segments
    return sum(predict(segment, config).cycles for segment in segments)
