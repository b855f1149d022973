"""Which commands there are, ours first; one is loaded when it is called."""

import importlib.util
import logging

from host.errors import InputError
from host.extensions import is_ours, list_extensions, load_extension

from .summary import summarise

__all__ = ["list_commands", "load_command", "read_summaries"]

GROUP  = "xymac.commands"  #: Entry points of commands.
_ORDER = ("run", "check", "vectors", "compile", "bench", "verilog", "fit", "explore", "build",
          "ports", "simulate", "regress")
_LOG   = logging.getLogger("xymac.commands")


def list_commands():
    """Entry points of the commands by name, ours first and in the order of their use."""
    entries = list_extensions(GROUP)
    first   = [name for name in _ORDER if name in entries]
    return {name: entries[name] for name in dict.fromkeys((*first, *entries))}


def load_command(entry):
    """The Command of an entry point; InputError if it is broken."""
    return load_extension(entry, _check_command)


def _check_command(value):
    from .command import Command

    if not isinstance(value, Command):
        raise TypeError(f"it must be a Command, not {value!r}")


def read_summaries(entries):
    """Line of the help of every command by name; a broken one is told and passed over.

    Ours are the first lines of their files, read without loading what they need.
    """
    summaries = {}
    for name, entry in entries.items():
        try:
            summaries[name] = _first_line(entry) if is_ours(entry) else load_command(entry).summary
        except (InputError, OSError) as error:
            _LOG.warning("%s", error)
    return summaries


def _first_line(entry):
    """The docstring of the module, which is what the Command makes its summary of."""
    spec = importlib.util.find_spec(entry.module)
    with open(spec.origin, encoding="utf-8") as file:
        return summarise(file.readline().strip().strip('"'))
