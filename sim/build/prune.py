"""Which builds go when a new one is made, safe while other processes make and open theirs."""

import contextlib
import os
import re
import shutil
import tempfile
import time

from host.files import hold_lock

__all__ = ["FRESH", "KEPT", "UNUSED", "mark_used", "prune"]

LOCK   = ".lock"     #: Held where folders come and go.
KEPT   = 4           #: Builds of one name that stay, those used last.
FRESH  = 3600        #: Seconds for which a used build stays whatever its number: it may be opened.
UNUSED = 30 * 86400  #: Seconds after which a build that nobody used goes, and be it the only one.

_BUILD    = re.compile(r"(?P<name>[^.].*)-[0-9a-f]{16}")
_LEFTOVER = re.compile(r"\..+-[0-9a-z_]{8}")  # of a process that was killed


def mark_used(folder):
    """Make ``folder`` the build used last; False if there is no such build."""
    with hold_lock(folder.parent / LOCK):
        try:
            os.utime(folder)
        except FileNotFoundError:
            return False
    return True


def prune(root):
    """Delete the builds in ``root`` that are neither fresh nor among the last of their name.

    Under the lock a build goes out of reach, so whoever marked it before finds it and whoever comes
    later makes it again. What is no build stays.
    """
    grave = tempfile.mkdtemp(prefix=".pruned-", dir=root)
    with hold_lock(root / LOCK):
        for folder in _list_old(root):
            with contextlib.suppress(OSError):  # Not ours: let it lie.
                folder.rename(os.path.join(grave, folder.name))
    shutil.rmtree(grave, ignore_errors=True)


def _list_old(root):
    """Folders in ``root`` that may go."""
    builds_of = {}
    for folder, age in _ages(root).items():
        if match := _BUILD.fullmatch(folder.name):
            builds_of.setdefault(match["name"], []).append((age, folder))
        elif _LEFTOVER.fullmatch(folder.name) and age > FRESH:
            yield folder
    for builds in builds_of.values():
        for number, (age, folder) in enumerate(sorted(builds)):
            if age > FRESH and (number >= KEPT or age > UNUSED):
                yield folder


def _ages(root):
    """Seconds since the folders in ``root`` were used, by folder."""
    now, ages = time.time(), {}
    for folder in root.iterdir():
        with contextlib.suppress(FileNotFoundError):  # Another process finished it just now.
            if folder.is_dir():
                ages[folder] = now - folder.stat().st_mtime
    return ages
