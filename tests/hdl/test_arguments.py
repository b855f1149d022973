# SPDX-License-Identifier: Apache-2.0
"""Constructors of the components in `hdl` refuse bad arguments."""

import inspect
import pkgutil
from importlib import import_module

import pytest
from amaranth.lib import wiring

from xymac import hdl
from xymac.hdl.compact.core import Compact
from xymac.hdl.config import COMPACT, TINY, change_size
from xymac.hdl.dma import CoreDma, DmaCore
from xymac.hdl.dma.axi4 import CellCore, CoreDma4
from xymac.hdl.dma.bursts import Bursts
from xymac.hdl.dma.bus import Bus
from xymac.hdl.dma.decode import Decode
from xymac.hdl.dma.dma import Dma
from xymac.hdl.dma.gear import Gear
from xymac.hdl.dma.groups import Groups
from xymac.hdl.dma.mover import Mover
from xymac.hdl.dma.place import Place
from xymac.hdl.dma.reads import Reads
from xymac.hdl.dma.realign import Realign
from xymac.hdl.dma.walk import Rows

#: Arguments with which every component that has such a parameter can be made.
GOOD = {
    "ways": 1, "x_rows": 512, "y_rows": 512, "rows": 512, "passes": 8, "slots": 2, "lane": 0,
    "bias_rows": 3, "columns": 1, "divisor": 4, "depth": 16, "cycles": 3, "bits": 16,
    "x_cells": 512, "y_cells": 512, "shape": 8, "tag": 1, "config": TINY, "vendor": None,
    "value_bits": 65, "width": 16, "kept": 19, "amount_bits": 6,
    "code": [0], "stopped": 0, "functions": 6, "inverted": 0, "subtract": 0,
    "counters": 4, "recorded": 3, "words": 1,
    "dma": 0, "down": 0, "most": 9, "heap": 1, "extremes": 1, "window": 1, "comparison": 1,
    "whole": 1,
    "constants": {},
    "tables": [0],
    "id_bits": 4, "fast": 1, "x_bytes": 1024, "y_bytes": 0,
    "first_sum": 20, "parts": 4, "carried": 1,
    "first": lambda a, b, c, d: a, "second": lambda a, b, c, d: c}
#: Of a component that takes others.
OWN  = {Compact: {"config": COMPACT}} | {
    component: {"config": change_size(TINY, dma=32)} for component in (
        CellCore, CoreDma, CoreDma4, Dma, DmaCore)} | {
    component: {"width": 32} for component in (
        Bursts, Bus, Decode, Gear, Groups, Mover, Place, Reads, Realign, Rows)}
NO_INT  = [("text", TypeError), (2.5, TypeError), (None, TypeError), (True, TypeError)]
COUNT   = [(0, ValueError), (-1, ValueError), *NO_INT]
CHOICE  = [(3, ValueError), (8, ValueError), *COUNT]
ROWS    = [(1, ValueError), (4097, ValueError), *COUNT]
PASSES  = [(1, ValueError), (257, ValueError), *COUNT]
CELLS   = [(3, ValueError), (16386, ValueError), *COUNT]
LIST    = [("text", TypeError), (7, TypeError), ([0.5], TypeError), ([1 << 32], ValueError),
           ([-1 << 31], ValueError)]
#: Arguments that are refused, by the name of the parameter.
BAD = {
    "ways": CHOICE, "slots": CHOICE, "x_rows": ROWS, "y_rows": ROWS, "rows": ROWS,
    "passes": PASSES, "lane": [(4, ValueError), (-1, ValueError), *NO_INT],
    "bias_rows": [(4, ValueError), *COUNT], "columns": [(3, ValueError), *COUNT],
    "first_sum": [(65, ValueError), *COUNT],
    "divisor": [(3, ValueError), *COUNT], "depth": COUNT, "cycles": [(19, ValueError), *COUNT],
    "bits": [(19, ValueError), *COUNT], "width": [(65, ValueError), *COUNT],
    "value_bits": [(129, ValueError), *COUNT],
    "kept": [(65, ValueError), *COUNT], "amount_bits": [(7, ValueError), (3, ValueError), *COUNT],
    "x_cells": [(8194, ValueError), *CELLS],
    "y_cells": CELLS, "shape": [("text", TypeError), (-1, TypeError)],
    "tag": [("text", TypeError), (-1, TypeError)],
    "config": [("tiny", TypeError), (None, TypeError), (TINY.ways, TypeError)],
    "vendor": [("Xilinx", ValueError), ("", ValueError), (0, ValueError)],
    "code": [*LIST, ([0] * 1025, ValueError)], "tables": [*LIST, ([], ValueError)],
    **{name: [(2, ValueError), (-1, ValueError), ("text", TypeError), (None, TypeError)]
       for name in ("dma", "down", "heap", "extremes", "window", "comparison", "inverted", "whole",
                    "subtract")},
    "functions": [(-1, ValueError), (1 << 32, ValueError), *NO_INT],
    "counters": [(3, ValueError), (16, ValueError), *COUNT],
    "recorded": [(5, ValueError), *COUNT], "words": [(3, ValueError), *COUNT],
    "parts": [(1, ValueError), (5, ValueError), *NO_INT],
    "carried": [(2, ValueError), (-1, ValueError), *NO_INT],
    "first": [(7, TypeError), (None, TypeError), (lambda a, b, c, d: c, ValueError)],
    "second": [(7, TypeError), (None, TypeError), (lambda a, b, c, d: b, ValueError)],
    "id_bits": [(17, ValueError), *COUNT], "fast": [(2, ValueError), (-1, ValueError), *NO_INT],
    **{name: [(-1, ValueError), ((1 << 20) + 1, ValueError), *NO_INT]
       for name in ("x_bytes", "y_bytes")},
    "most": [(1, ValueError), (65536, ValueError), *NO_INT],
    "stopped": [(-1, ValueError), (1024, ValueError), *NO_INT],
    "constants": [([0], TypeError), ({0: "text"}, TypeError), ({256: 0}, ValueError),
                  ({"at": 0}, TypeError), ({0: 1 << 63}, ValueError)]}


def modules():
    """All modules of hdl, in sub-packages as well."""
    return [import_module(info.name) for info in pkgutil.walk_packages(hdl.__path__, "xymac.hdl.")]


def components():
    """All components that a module of hdl defines."""
    return [value for module in modules() for value in vars(module).values()
            if inspect.isclass(value) and issubclass(value, wiring.Component)
            and value.__module__ == module.__name__]


def parameters_of(component):
    """Names of what the constructor takes."""
    if "__init__" not in vars(component):
        return []
    return list(inspect.signature(component).parameters)


def arguments_of(component):
    """Those with which it can be made, by name."""
    good = GOOD | OWN.get(component, {})
    return {name: good[name] for name in parameters_of(component)}


def refused():
    """(component, parameter, value, error) of everything that must be refused."""
    return [pytest.param(component, parameter, value, error,
                         id=f"{component.__name__}-{parameter}-{value!r:.20}")
            for component in components() for parameter in parameters_of(component)
            for value, error in BAD[parameter]]


def test_there_are_so_many_components():
    assert len(components()) >= 42


@pytest.mark.parametrize(("component", "parameter", "value", "error"), refused())
def test_refused_arguments(component, parameter, value, error):
    with pytest.raises(error, match=r"must be|must have|not a shape|has the size"):
        component(**arguments_of(component) | {parameter: value})
