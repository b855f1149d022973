# SPDX-License-Identifier: Apache-2.0
"""Example networks, and their scripts."""

from pathlib import Path

__all__ = ["DATA", "shown_path"]

DATA = Path(__file__).parent / "data"  #: Folder of the shipped networks and images.


def shown_path(name):
    """Path text of the file ``name`` in ``DATA``, for commands that users copy.

    Relative to the working directory for files below it, as in a clone; else absolute.
    """
    path = DATA / name
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
