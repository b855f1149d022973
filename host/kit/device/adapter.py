# SPDX-License-Identifier: Apache-2.0
"""A user's description of a device: its capabilities, and how to call it."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.host.errors import InputError, suggest
from xymac.host.files.reading import check_file
from xymac.host.kit.limits import check_limit
from xymac.host.kit.operations import DIALECTS, OPERATIONS
from xymac.host.kit.rule import LIBRARY, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xymac.host.kit.case import Case

__all__ = ["CYCLES", "ELEMENT_CYCLES", "Adapter", "Supports", "load_adapter"]

CYCLES         = 10_000  #: Cycle limit of a case with a coroutine, by default;
ELEMENT_CYCLES = 32      #: more for each element of the operands.


@dataclass(frozen=True)
class Supports:
    """A device operation in a dialect and a type; InputError for unknown names.

    Parameters
    ----------
    operation, dialect, type : str, see ``xymac.host.kit.operations``
    limits : dict from a quantity, such as "kernel_height" or "channels", to the supported values: a
        range, a tuple or a set, or a function of quantities by their names, such as ``lambda low,
        output_zero: low == output_zero``. Missing quantities are unlimited.
        ``xymac.host.kit.facts`` lists the quantities.
    """

    operation: str
    dialect:   str
    type:      str = "int8"
    limits:    dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value, known in (("operation", self.operation, OPERATIONS),
                                   ("dialect", self.dialect, DIALECTS),
                                   ("type", self.type, DIALECTS.get(self.dialect, ()))):
            if value not in known:
                raise InputError(f"The {name} of what a device supports must be one of "
                                 f"{', '.join(known)}, not {value!r}{suggest(value, known)}")
        limits: object = self.limits
        if not isinstance(limits, dict):
            raise InputError(f"The limits of {self.title} must be a dict from a quantity to its "
                             f"limit, not {limits!r}")
        for quantity, limit in self.limits.items():
            check_limit(quantity, limit)

    @property
    def title(self) -> str:
        """Name in reports."""
        return f"{self.operation} {self.dialect} {self.type}"


class Adapter:
    """Base class for a user's device description.

    The subclass has a method for every operation in ``supports``, with the operation's name.
    Without ``sources`` the method is a function ``def conv2d(self, case)`` that returns the
    device's result, an integer array in the output shape. With ``sources`` it is a cocotb coroutine
    ``async def conv2d(self, dut, case)``. ``case.operands`` holds the operands by name, plain numpy
    arrays and ints.

    Members
    -------
    name : str, device name; by default the class name
    supports : tuple of Supports
    rule : Rule, intended difference from the library; the device is checked under it
    seconds : float, a function's time limit per case
    sources : tuple of str, Verilog files, relative to the adapter's folder
    top : str, top module name
    parameters : dict, top module parameters
    clock, reset : str, port names; "" for none. ``reset`` is active high, "!name" is active low.
    period : int, clock period, ns
    cycles : int, a coroutine's cycle limit per case; by default ``CYCLES``, and
        ``ELEMENT_CYCLES`` more for each element of the case's operands
    simulator : str, simulator for cocotb
    """

    name       = ""
    supports: Sequence[Supports] = ()
    rule       = LIBRARY
    seconds    = 10.0
    sources: Sequence[str] = ()
    top        = ""
    parameters = MappingProxyType({})
    clock      = "clk"
    reset      = "rst"
    period     = 10
    cycles: int | None = None
    simulator  = "verilator"

    async def start(self, dut: Any) -> None:
        """Set inputs before the clock starts; the default does nothing."""

    @property
    def title(self) -> str:
        """Device name."""
        return self.name or type(self).__name__

    @property
    def is_simulated(self) -> bool:
        """Whether cocotb runs it."""
        return bool(self.sources)

    def method_of(self, operation: str) -> Callable[..., Any] | None:
        """An operation's method, None if there is none."""
        return getattr(self, operation, None)

    def cycles_of(self, case: Case) -> int:
        """The cycle limit of a case."""
        if self.cycles is not None:
            return self.cycles
        return CYCLES + ELEMENT_CYCLES * sum(np.size(each) for each in case.operands.values())

    def check(self) -> None:
        """Raise InputError unless this describes a device."""
        if not isinstance(self.supports, tuple | list) or not self.supports or not all(
                isinstance(each, Supports) for each in self.supports):
            raise InputError(f"{self.title}.supports must be a tuple of Supports, at least one, "
                             f"not {self.supports!r}")
        if not isinstance(self.name, str):
            raise InputError(f"{type(self).__name__}.name must be a str, not {self.name!r}")
        if not isinstance(self.parameters, Mapping):
            raise InputError(f"{self.title}.parameters must be a dict, not {self.parameters!r}")
        if not isinstance(self.rule, Rule):
            raise InputError(f"{self.title}.rule must be a Rule, not {self.rule!r}")
        for name in ("seconds", "cycles", "period"):
            value = getattr(self, name)
            if value is None and name == "cycles":
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise InputError(f"{self.title}.{name} must be a number above 0, not {value!r}")
        if not isinstance(self.sources, tuple | list):
            raise InputError(f"{self.title}.sources must be a tuple of names of files, "
                             f"not {self.sources!r}")
        if self.is_simulated and not self.top:
            raise InputError(f"{self.title}.top must name the top module of the sources")


def load_adapter(path: Path | str) -> Adapter:
    """The Adapter defined in the file ``path``, created and checked.

    The file can import other files in its folder, which is appended to Python's path. InputError
    unless the file has exactly one ``Adapter`` subclass, and it can be created.
    """
    path = Path(path).resolve()
    check_file(path, "There is no adapter {}")
    if path.suffix != ".py":
        raise InputError(f"An adapter must be a file of Python, *.py, not {path}")
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec   = importlib.util.spec_from_file_location(f"xymac_adapter_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"Python cannot load the adapter {path}")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        kinds = [value for value in vars(module).values() if inspect.isclass(value)
                 and issubclass(value, Adapter) and value.__module__ == module.__name__]
        if len(kinds) != 1:
            raise InputError(f"{path} must define one subclass of Adapter, not {len(kinds)}")
        adapter = kinds[0]()
    except InputError:
        raise
    except (Exception, SystemExit) as error:  # Whatever a user's file does when it is loaded.
        words = " ".join(str(error).split())
        raise InputError(f"{path} is broken: {type(error).__name__}: {words}") from error
    adapter.check()
    return adapter
