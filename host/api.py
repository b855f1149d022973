"""The functions of MLI 1.0, 1.1, 2.0 and lib_nn by their documented names, on a device."""

from golden.api.mli1.functions import Mli
from golden.result import Result
from host.plan.views import run_in_memory

__all__ = ["on_device"]


def on_device(device, library=Mli, **options):
    """A library of functions that run on the open Device ``device``.

    ``documented`` changes the same here as there. Tensors with strides go to the device and come
    back as they lie in memory, gaps included; the device takes their elements from there and puts
    them there. Calls raise ValueError for what has no exact passes or does not fit the device,
    DeviceError if a program does not end well.

    Parameters
    ----------
    library : ``golden.api.mli1.functions.Mli``, ``golden.api.mli2.functions.Mli`` or
        ``golden.api.xs3.functions.LibNn``
    options : of the library: ``rounding``, ``version`` and ``concat_max_tensors`` of 1.x,
        ``build`` of 2.0, ``debug`` of both, ``symmetric`` of lib_nn
    """
    def evaluate(layer, *inputs, view=None):
        run = run_in_memory(device, layer, *inputs, view=view)
        return Result(run.output, run.overflow, run.cell)

    functions = library(evaluate=evaluate, **options)
    functions.fills_views = True
    return functions
