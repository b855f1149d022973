"""What other packages add by entry points: commands, devices, boards and lowerings.

An entry point is all it takes, as in the pyproject.toml of such a package::

    [project.entry-points."xymac.boards"]
    mine = "my_package.boards:MINE"

=================  =============================================================
group              what it names
=================  =============================================================
xymac.commands     a ``host.cli.command.Command``
xymac.devices      a class derived from ``host.device.device.Device``
xymac.boards       a ``boards.board.Board``
xymac.lowerings    a class derived from ``host.lower.base.Lowering``
xymac.runners      a function that asks a simulated device, as ``sim.kit.runner.ask_simulated``
=================  =============================================================

What is broken is named and passed over, and never stops what does not need it: nothing is loaded
but what is used. Of two entry points of one name ours stays, else the one of the package that
comes first in the alphabet.
"""

import logging
from importlib.metadata import entry_points

from .errors import InputError

__all__ = ["is_ours", "list_extensions", "load_extension", "load_extensions"]

_OURS = "xymac"
_LOG  = logging.getLogger("xymac.extensions")


def is_ours(entry):
    """Whether an entry point is one of this project and not of another package."""
    return entry.dist is not None and entry.dist.name == _OURS


def list_extensions(group):
    """Entry points of ``group`` by name, in the order of the names; nothing is loaded.

    A name that comes twice is told in a warning of the logger ``xymac.extensions``.
    """
    entries = {}
    for entry in sorted(entry_points(group=group), key=_rank):
        if entry.name in entries:
            _LOG.warning("%s is passed over: %s has one of this name", _describe(entry),
                         entries[entry.name].dist.name)
        else:
            entries[entry.name] = entry
    return dict(sorted(entries.items()))


def load_extension(entry, check):
    """What an entry point names.

    ``check(value)`` raises TypeError or ValueError for what is no such thing. InputError, naming
    the entry point and its package, if it is broken.
    """
    try:
        value = entry.load()
        check(value)
    except Exception as error:  # Whatever another package's module does when it is imported.
        raise InputError(f"{_describe(entry)} is broken: {type(error).__name__}: {error}"
                         ) from error
    return value


def load_extensions(group, check):
    """What the entry points of ``group`` name, a dict by name; see ``load_extension``.

    One that is broken is told in a warning and passed over.
    """
    loaded = {}
    for name, entry in list_extensions(group).items():
        try:
            loaded[name] = load_extension(entry, check)
        except InputError as error:
            _LOG.warning("%s", error)
    return loaded


def _rank(entry):
    package = entry.dist.name if entry.dist else ""
    return not is_ours(entry), package, entry.name


def _describe(entry):
    kind    = entry.group.rpartition(".")[2].removesuffix("s").capitalize()
    package = entry.dist.name if entry.dist else "an unknown package"
    return f"{kind} {entry.name} of package {package}"
