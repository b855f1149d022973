"""What a user says of a device: what it can do, and how to have it do that."""

import importlib.util
import inspect
import sys
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from host.errors import InputError
from host.kit.facts import QUANTITIES
from host.kit.operations import DIALECTS, OPERATIONS
from host.kit.rule import LIBRARY, Rule

__all__ = ["Adapter", "Supports", "load_adapter"]


@dataclass(frozen=True)
class Supports:
    """One operation of a device, in one dialect and one type; InputError for what is unknown.

    Parameters
    ----------
    operation, dialect, type : str, see ``host.kit.operations``
    limits : dict from a quantity, as "kernel_height" or "channels", to the values that the device
        takes: a range, a tuple or a set. What is not named is free. ``host.kit.facts`` has them.
    """

    operation: str
    dialect:   str
    type:      str = "int8"
    limits:    dict = field(default_factory=dict)

    def __post_init__(self):
        for name, value, known in (("operation", self.operation, OPERATIONS),
                                   ("dialect", self.dialect, DIALECTS),
                                   ("type", self.type, DIALECTS.get(self.dialect, ()))):
            if value not in known:
                raise InputError(f"The {name} of what a device supports must be one of "
                                 f"{', '.join(known)}, not {value!r}")
        for quantity, values in self.limits.items():
            if quantity not in QUANTITIES:
                raise InputError(f"There is no quantity {quantity!r} to limit, only "
                                 f"{', '.join(QUANTITIES)}")
            if not isinstance(values, Collection) or isinstance(values, str) or not values:
                raise InputError(f"The limit of {quantity} must be a range, a tuple or a set, "
                                 f"not {values!r}")

    @property
    def title(self):
        """What it is called in reports."""
        return f"{self.operation} {self.dialect} {self.type}"


class Adapter:
    """Base of a user's class: a device, and how to have it compute.

    For every operation in ``supports`` the subclass has a method of its name. Without ``sources``
    that is a function ``def conv2d(self, case)`` which returns what the device gives, an array of
    integers of the shape of the output; with them it is a coroutine of cocotb, ``async def
    conv2d(self, dut, case)``. ``case.operands`` are what the device needs, plain numpy arrays and
    ints by their names.

    Members
    -------
    name : str, of the device; else that of the class
    supports : tuple of Supports
    rule : Rule, by which the device is meant to differ from the library: it is checked under it
    seconds : float, that a function may take for a case
    sources : tuple of str, files of Verilog, from the folder of the adapter's file on
    top : str, name of the top module
    parameters : dict, of the top module
    clock, reset : str, ports; "" for none. ``reset`` is active high, "!name" is active low.
    period : int, of the clock, ns
    cycles : int, that a coroutine may take for a case
    simulator : str, that cocotb runs
    """

    name       = ""
    supports   = ()
    rule       = LIBRARY
    seconds    = 10.0
    sources    = ()
    top        = ""
    parameters = MappingProxyType({})
    clock      = "clk"
    reset      = "rst"
    period     = 10
    cycles     = 10_000
    simulator  = "verilator"

    async def start(self, dut):
        """Set inputs before the clock starts; nothing unless the subclass does something."""

    @property
    def title(self):
        """What the device is called."""
        return self.name or type(self).__name__

    @property
    def is_simulated(self):
        """Whether cocotb runs it."""
        return bool(self.sources)

    def method_of(self, operation):
        """The method of an operation, None if there is none."""
        return getattr(self, operation, None)

    def check(self):
        """Raise InputError unless this describes a device."""
        if not isinstance(self.supports, tuple | list) or not self.supports or not all(
                isinstance(each, Supports) for each in self.supports):
            raise InputError(f"{self.title}.supports must be a tuple of Supports, at least one, "
                             f"not {self.supports!r}")
        if not isinstance(self.rule, Rule):
            raise InputError(f"{self.title}.rule must be a Rule, not {self.rule!r}")
        for name in ("seconds", "cycles", "period"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not value > 0:
                raise InputError(f"{self.title}.{name} must be a number above 0, not {value!r}")
        if not isinstance(self.sources, tuple | list):
            raise InputError(f"{self.title}.sources must be a tuple of names of files, "
                             f"not {self.sources!r}")
        if self.is_simulated and not self.top:
            raise InputError(f"{self.title}.top must name the top module of the sources")


def load_adapter(path):
    """The Adapter that the file ``path`` defines, made and checked.

    The file may import others of its folder, which comes last on Python's path from then on.
    InputError unless there is just one subclass of ``Adapter`` in the file, and it can be made.
    """
    path = Path(path).resolve()
    if not path.is_file():
        raise InputError(f"There is no adapter {path}")
    if path.suffix != ".py":
        raise InputError(f"An adapter must be a file of Python, *.py, not {path}")
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec   = importlib.util.spec_from_file_location(f"xymac_adapter_{path.stem}", path)
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
