"""One of the requantisers."""

from tests.sim.kit.requantisers.device import Requantiser

__all__ = ["HalfUp"]


class HalfUp(Requantiser):
    """See the file of Verilog of this name."""

    which = 2
