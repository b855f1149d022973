# SPDX-License-Identifier: Apache-2.0
"""Builds cached by a hash of their inputs."""

import errno
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from xymac.host.files import hold_lock
from xymac.host.files.root import build_root

from .prune import mark_used, prune
from .verilator import ToolError

__all__ = ["cached", "folder_of"]


def cached(name, parts, make):
    """Return the folder ``name-<hash of parts>``, filled by ``make(folder)`` if it is new.

    ``parts`` (strings or bytes) must determine the content completely. The folder appears complete
    or not at all, and is made once: concurrent callers with the same name wait. A new folder may
    delete old folders with the same name, see ``xymac.sim.build.prune``: so use the folder at once,
    and call again later. ``make`` must not call ``cached`` with the same name.
    """
    folder = folder_of(name, parts)
    root   = folder.parent
    root.mkdir(parents=True, exist_ok=True)
    if mark_used(folder):
        return folder
    with hold_lock(root / f".lock-{name}"):
        if not mark_used(folder):
            _fill(folder, name, make)
    prune(root)
    return folder


def folder_of(name, parts):
    """Folder in which ``cached`` keeps the build for ``parts``."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(f"{len(data)}:".encode() + data)
    return build_root() / f"{name}-{digest.hexdigest()[:16]}"


def _fill(folder, name, make):
    """Let ``make`` fill a temporary folder; rename it to ``folder`` when it is complete."""
    growing = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder.parent))
    try:
        make(growing)
        growing.rename(folder)
    except BaseException as error:
        shutil.rmtree(growing, ignore_errors=True)
        if _nameless(error):
            code = getattr(error, "errno", errno.ENOSPC)
            raise OSError(code, os.strerror(code), str(folder.parent)) from error
        raise


def _nameless(error):
    """True for a failed write without a file name, as on a full disk."""
    if isinstance(error, ToolError):
        return os.strerror(errno.ENOSPC) in str(error)
    return isinstance(error, OSError) and error.errno is not None and error.filename is None
