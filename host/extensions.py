# SPDX-License-Identifier: Apache-2.0
"""Entry points for other packages: commands, devices, boards and lowerings.

The pyproject.toml of another package needs only an entry point::

    [project.entry-points."xymac.boards"]
    mine = "my_package.boards:MINE"

=================  =============================================================
group              named object
=================  =============================================================
xymac.commands     a ``xymac.host.cli.command.Command``
xymac.devices      a class derived from ``xymac.host.device.device.Device``
xymac.boards       a ``xymac.boards.board.Board``
xymac.lowerings    a class derived from ``xymac.host.lower.base.Lowering``
xymac.runners      a function that asks a simulated device, as in ``xymac.sim.kit.runner``
=================  =============================================================

A broken entry point is logged and skipped unless it is needed; entry points are loaded on use. Of
two entry points with equal names, the project's own wins, otherwise the alphabetically first
package.
"""

import logging
from importlib.metadata import entry_points

from .errors import InputError

__all__ = ["is_ours", "list_extensions", "load_extension", "load_extensions"]

_OURS = "xymac"
_LOG  = logging.getLogger("xymac.extensions")


def is_ours(entry):
    """Whether an entry point belongs to this project."""
    return entry.dist is not None and entry.dist.name == _OURS


def list_extensions(group):
    """Entry points of ``group`` by name, in alphabetical order; nothing is loaded.

    A duplicate name is logged as a ``xymac.extensions`` warning.
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
    """Object named by an entry point.

    ``check(value)`` raises TypeError or ValueError for a wrong object. InputError with entry point
    and package if it is broken.
    """
    try:
        value = entry.load()
        check(value)
    except Exception as error:  # An import of another package can raise anything.
        raise InputError(f"{_describe(entry)} is broken: {type(error).__name__}: {error}"
                         ) from error
    return value


def load_extensions(group, check):
    """Objects named by the ``group`` entry points, a dict by name; see ``load_extension``.

    A broken entry point is logged as a warning and skipped.
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
