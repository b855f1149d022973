"""One of the requantisers."""

from tests.sim.kit.requantisers.device import Requantiser

__all__ = ["ShortMultiplier"]


class ShortMultiplier(Requantiser):
    """See the file of Verilog of this name."""

    which = 4
