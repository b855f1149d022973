# SPDX-License-Identifier: Apache-2.0
"""The command list, the project's own first; a command is loaded when it is called."""

import importlib.util
import logging

from xymac.host.errors import InputError
from xymac.host.extensions import is_ours, list_extensions, load_extension

from .summary import summarise

__all__ = ["list_commands", "load_command", "read_summaries"]

GROUP  = "xymac.commands"  #: Entry points of commands.
_ORDER = ("run", "evaluate", "check", "vectors", "compile", "bench", "verilog", "fit", "explore",
          "build", "load", "ports", "simulate", "regress")
_LOG   = logging.getLogger("xymac.commands")


def list_commands():
    """Command entry points by name, the project's own first in order of use."""
    entries = list_extensions(GROUP)
    first   = [name for name in _ORDER if name in entries]
    return {name: entries[name] for name in dict.fromkeys((*first, *entries))}


def load_command(entry):
    """An entry point's Command; InputError if it is broken."""
    return load_extension(entry, _check_command)


def _check_command(value):
    from .command import Command

    if not isinstance(value, Command):
        raise TypeError(f"it must be a Command, not {value!r}")


def read_summaries(entries):
    """Every command's help line by name; a broken command is logged and skipped.

    The project's own help lines are the first docstring lines in their files, read without
    importing the files.
    """
    summaries = {}
    for name, entry in entries.items():
        try:
            summaries[name] = _first_line(entry) if is_ours(entry) else load_command(entry).summary
        except (InputError, OSError) as error:
            _LOG.warning("%s", error)
    return summaries


def _first_line(entry):
    """Summary line from the docstring of an entry point's module."""
    spec = importlib.util.find_spec(entry.module)
    with open(spec.origin, encoding="utf-8") as file:
        first = next(line for line in file if not line.startswith("#"))
    return summarise(first.strip().strip('"'))
