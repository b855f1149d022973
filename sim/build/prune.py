# SPDX-License-Identifier: Apache-2.0
"""Delete old builds, safe against concurrent processes that make or open builds."""

import contextlib
import os
import re
import shutil
import tempfile
import time

from xymac.host.files import hold_lock

__all__ = ["FRESH", "KEPT", "UNUSED", "mark_used", "prune"]

LOCK   = ".lock"     #: Lock file, held while folders appear or disappear.
KEPT   = 4           #: Number of kept builds per name, the most recently used.
FRESH  = 3600        #: Seconds for which a used build is always kept: a process may still open it.
UNUSED = 30 * 86400  #: Seconds after which an unused build is deleted, even the last of its name.

_BUILD    = re.compile(r"(?P<name>[^.].*)-[0-9a-f]{16}")
_LEFTOVER = re.compile(r"\..+-[0-9a-z_]{8}")  # folder of a killed process


def mark_used(folder):
    """Mark ``folder`` as the most recently used build; False if it does not exist."""
    with hold_lock(folder.parent / LOCK):
        try:
            os.utime(folder)
        except FileNotFoundError:
            return False
    return True


def prune(root):
    """Delete the builds in ``root`` that are neither fresh nor among the last with their name.

    A build is renamed under the lock. So a process that marked it before still has it, and a later
    process builds it again. Other files stay.
    """
    grave = tempfile.mkdtemp(prefix=".pruned-", dir=root)
    with hold_lock(root / LOCK):
        for folder in _list_old(root):
            with contextlib.suppress(OSError):  # Another user's folder stays.
                folder.rename(os.path.join(grave, folder.name))
    shutil.rmtree(grave, ignore_errors=True)


def _list_old(root):
    """Yield the folders in ``root`` to delete."""
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
    """Seconds since each folder in ``root`` was last used, by folder."""
    now, ages = time.time(), {}
    for folder in root.iterdir():
        with contextlib.suppress(FileNotFoundError):  # Another process finished it just now.
            if folder.is_dir():
                ages[folder] = now - folder.stat().st_mtime
    return ages
