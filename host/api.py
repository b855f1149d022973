"""The functions of MLI 1.0, 1.1, 2.0 and lib_nn by their documented names, on a device."""

from golden.api.mli1.functions import Mli
from golden.result import Result
from host.plan.run import run_layer

__all__ = ["on_device"]


def on_device(device, library=Mli, **options):
    """A library of functions that run on the open Device ``device``.

    ``documented`` changes the same here as there. Calls raise ValueError for what has no exact
    passes or does not fit the device, DeviceError if a program does not end well.

    Parameters
    ----------
    library : ``golden.api.mli1.functions.Mli``, ``golden.api.mli2.functions.Mli`` or
        ``golden.api.xs3.functions.LibNn``
    options : of the library: ``rounding`` and ``version`` of 1.x, ``build`` of 2.0, ``debug`` of
        both, ``symmetric`` of lib_nn
    """
    def evaluate(layer, *inputs):
        run = run_layer(device, layer, *inputs)
        return Result(run.output, run.overflow, run.cell)

    return library(evaluate=evaluate, **options)
