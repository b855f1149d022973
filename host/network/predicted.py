"""Cycles of a network on a core by the cycle model alone, without running it."""

from host.cycles.model import predict
from host.device.device import MachineDevice

from .session import Session

__all__ = ["predict_cycles", "predict_plan"]


def predict_cycles(network, config):
    """Cycles of one input on the core of a CoreConfig: of all programs, start to interrupt each.

    What the host computes or moves takes none. InputError, saying why, if the core cannot hold the
    network.
    """
    with MachineDevice(config) as device:
        return predict_plan(Session(network, device).plan, config)


def predict_plan(plan, config):
    """The same of the plan of a Session, None where the host computes all."""
    segments = () if plan is None else plan.segments
    return sum(predict(segment, config).cycles for segment in segments)
