# SPDX-License-Identifier: Apache-2.0
"""Commands and entry points under ``xymac``."""

from importlib.metadata import entry_points

from xymac.host.cli.commands import list_commands
from xymac.host.extensions import is_ours

from .table import markdown

__all__ = ["commands", "entries"]

GROUPS = ("xymac.commands", "xymac.devices", "xymac.boards")


def commands():
    """Summary and example for every command."""
    rows = [(name, entry.load()) for name, entry in list_commands().items() if is_ours(entry)]
    return markdown(("command", "what it does", "example"),
                    [(f"`xymac {name}`", command.summary, f"`{command.example}`")
                     for name, command in rows])


def entries():
    """This project's entry points by group."""
    return markdown(("group", "names"), [
        (f"`{group}`", ", ".join(f"`{name}`" for name in sorted(
            {entry.name for entry in entry_points(group=group) if entry.dist.name == "xymac"})))
        for group in GROUPS])
