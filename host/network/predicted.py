"""Cycles of a network on a core by the cycle model alone, without running it."""

from host.cycles.model import predict
from host.device.device import MachineDevice

from .session import Session

__all__ = ["predict_cycles"]


def predict_cycles(network, config):
    """Cycles of one input on the core of a CoreConfig: of all programs, start to interrupt each.

    What the host computes or moves takes none. InputError, saying why, if the core cannot hold the
    network.
    """
    with MachineDevice(config) as device:
        plan = Session(network, device).plan
    if plan is None:
        return 0
    plans = [part.plan for part in plan.parts] if hasattr(plan, "parts") else [plan]
    return sum(predict(program, config).cycles for each in plans for program in each.segments)
