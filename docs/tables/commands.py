"""The commands of ``xymac`` and what its names are found by."""

from importlib.metadata import entry_points

from .table import markdown

__all__ = ["commands", "entries"]

ORDER  = ("run", "check", "vectors", "compile", "bench", "verilog", "fit", "explore", "build",
          "ports", "simulate", "regress")
GROUPS = ("xymac.commands", "xymac.devices", "xymac.boards")


def commands():
    """What every command does, and an example of it."""
    known = {entry.name: entry for entry in entry_points(group="xymac.commands")}
    rows  = [(name, known[name].load()) for name in ORDER]
    return markdown(("command", "what it does", "example"),
                    [(f"`xymac {name}`", command.summary, f"`{command.example}`")
                     for name, command in rows])


def entries():
    """Entry points of this project by group."""
    return markdown(("group", "names"), [
        (f"`{group}`", ", ".join(f"`{name}`" for name in sorted(
            {entry.name for entry in entry_points(group=group) if entry.dist.name == "xymac"})))
        for group in GROUPS])
