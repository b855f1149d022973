"""The functions of MLI 1.0 and 1.1 by their documented names, on a device."""

from golden.mli import Mli
from golden.tensor import Result

from .lowering import LOWERED
from .runner import run_layer

__all__ = ["on_device"]


def on_device(device, **options):
    """``golden.mli.Mli`` whose functions run on the open Device ``device``.

    The leaky ReLU takes ``documented=True`` here as there. A function whose layer has no passes
    returns ``MLI_STATUS_NOT_SUPPORTED``. Calls raise AllocationError for what does not fit the
    device, DeviceError if a program does not end well.

    Parameters
    ----------
    options : ``rounding``, ``version`` and ``debug`` of Mli
    """
    def evaluate(layer, *inputs):
        if type(layer) not in LOWERED:
            raise NotImplementedError(f"There are no passes for {type(layer).__name__}")
        run = run_layer(device, layer, *inputs)
        return Result(run.output, run.overflow)

    return Mli(evaluate=evaluate, **options)
