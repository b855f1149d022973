"""One of the requantisers."""

from tests.sim.kit.requantisers.device import Requantiser

__all__ = ["Wrap24"]


class Wrap24(Requantiser):
    """See the file of Verilog of this name."""

    which = 5
