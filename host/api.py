# SPDX-License-Identifier: Apache-2.0
"""The functions of MLI 1.0, 1.1, 2.0 and lib_nn by their documented names, on a device."""

from xymac.golden.api.mli1.functions import Mli
from xymac.golden.result import Result
from xymac.host.device.device import check_device
from xymac.host.plan.views import run_in_memory

__all__ = ["on_device"]


def on_device(device, library=Mli, **options):
    """Library of functions running on the open Device ``device``.

    ``documented`` has the same effect as in ``library``. Strided tensors travel to the device and
    back as they lie in memory, with gaps; the device gathers and scatters their elements. Calls
    raise ValueError if there are no exact passes or the device is too small, DeviceError if a
    program fails.

    Parameters
    ----------
    library : ``xymac.golden.api.mli1.functions.Mli``, ``xymac.golden.api.mli2.functions.Mli`` or
        ``xymac.golden.api.xs3.functions.LibNn``
    options : keyword arguments of the library: ``rounding``, ``version`` and ``concat_max_tensors``
        for 1.x, ``build`` for 2.0, ``debug`` for both, ``symmetric`` for lib_nn
    """
    check_device(device)

    def evaluate(layer, *inputs, view=None):
        run = run_in_memory(device, layer, *inputs, view=view)
        return Result(run.output, run.overflow, run.cell)

    functions = library(evaluate=evaluate, **options)
    functions.fills_views = True
    return functions
