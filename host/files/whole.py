# SPDX-License-Identifier: Apache-2.0
"""Output files appearing complete or not at all."""

import fcntl
import os
import tempfile
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from secrets import token_hex

from xymac.host.errors import InputError

__all__ = ["check_writable", "fill_folder", "hold_lock", "make_folder", "write_file", "write_whole"]

#: Folders that ``fill_folder`` fills, the innermost first: each with a list of (temporary path,
#: target), which it renames at its end.
_filled = ContextVar("filled", default=())


def make_folder(path):
    """Create a folder and its missing parents; InputError on failure."""
    _check_named(path)
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        blocked = next((each for each in (Path(path), *Path(path).parents)
                        if each.exists() and not each.is_dir()), None)
        raise InputError(f"Cannot make the folder {path}: "
                         + (f"{blocked} is a file" if blocked else error.strerror)) from error


@contextmanager
def fill_folder(path):
    """Context writing files to the folder ``path``, a Path; all files of ``write_whole`` within it
    appear at its end. A failure leaves none of them, nor the folder if it was made here and is
    empty.

    InputError if the folder cannot be made.
    """
    path    = Path(path)
    is_new  = not path.exists()
    waiting = []
    make_folder(path)
    outer = _waiting_in(path.resolve())
    token = _filled.set(((path.resolve(), waiting), *_filled.get()))
    try:
        yield path
        if outer is not None:
            outer.extend(waiting)
        else:
            for partial, target in waiting:
                partial.replace(target)
    except BaseException:
        for partial, _ in waiting:
            partial.unlink(missing_ok=True)
        if is_new:
            _remove_empty(path)
        raise
    finally:
        _filled.reset(token)


def _waiting_in(target):
    """The list of waiting files for a resolved path, None outside every folder being filled."""
    return next((waiting for folder, waiting in _filled.get() if target.is_relative_to(folder)),
                None)


def _remove_empty(path):
    """Remove the empty folders at and below ``path``."""
    for folder, *_ in os.walk(path, topdown=False):
        with suppress(OSError):  # it has files
            Path(folder).rmdir()


@contextmanager
def hold_lock(path):
    """Context holding an exclusive lock on the file ``path`` across all processes and threads."""
    with open(path, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def check_writable(path):
    """Raise InputError unless the file ``path`` can be written; called before long work."""
    _check_named(path)
    path = Path(path)
    if path.is_dir():
        raise InputError(f"Cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise InputError(f"Cannot write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise InputError(f"Cannot write {path}: permission denied")
    try:
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}") from error


def _check_named(path):
    """Raise InputError for the path "-", which other programs write to the standard output."""
    if str(path) == "-":
        raise InputError("A file or folder to write must have a name, not -: results are not "
                         "written to the standard output")


@contextmanager
def write_whole(path):
    """Temporary path to write instead of ``path``; renamed to it on success, deleted on failure.

    A link stays a link, and a special file such as ``/dev/stdout`` is written directly.
    """
    check_writable(path)
    target  = Path(path).resolve()
    partial = target.with_name(f".{target.name}.{token_hex(8)}.partial")  # unique to this thread
    waiting = _waiting_in(target)
    is_kept = False
    try:
        if target.exists() and not target.is_file():
            yield target
        else:
            yield partial
            if waiting is None:
                partial.replace(target)
            else:
                partial.stat()  # an error unless it was written
                waiting.append((partial, target))
                is_kept = True
    except OSError as error:
        if error.filename not in (None, str(partial), str(target)):  # error of the with block
            raise
        raise InputError(f"Cannot write {path}: {error.strerror or error}") from error
    finally:
        if not is_kept:
            partial.unlink(missing_ok=True)


def write_file(path, content):
    """Write ``content`` (str or bytes) to ``path``; InputError on failure."""
    data = content.encode() if isinstance(content, str) else content
    with write_whole(path) as partial:
        partial.write_bytes(data)
