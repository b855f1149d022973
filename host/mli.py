"""The functions of MLI 1.0 and 1.1 by their documented names, on a device."""

from golden.mli import Mli
from golden.tensor import Result

from .runner import run_layer

__all__ = ["on_device"]


def on_device(device, **options):
    """``golden.mli.Mli`` whose functions run on the open Device ``device``.

    The leaky ReLU takes ``documented=True`` here as there. Calls raise AllocationError for what
    does not fit the device, DeviceError if a program does not end well.

    Parameters
    ----------
    options : ``rounding``, ``version`` and ``debug`` of Mli
    """
    def evaluate(layer, *inputs):
        run = run_layer(device, layer, *inputs)
        return Result(run.output, run.overflow, run.cell)

    return Mli(evaluate=evaluate, **options)
