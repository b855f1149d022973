"""Output files that appear complete or not at all."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

__all__ = ["check_writable", "completed", "write_file"]


def check_writable(path):
    """Raise ValueError unless a file ``path`` could be written: asked before long work."""
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"Cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise ValueError(f"Cannot write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise ValueError(f"Cannot write {path}: permission denied")
    try:
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise ValueError(f"Cannot write {path}: {error.strerror}") from error


@contextmanager
def completed(path):
    """Path to write in place of ``path``; renamed to it on success, deleted on failure."""
    path = Path(path)
    check_writable(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        raise ValueError(f"Cannot write {path}: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)


def write_file(path, content):
    """Write ``content`` (str or bytes) to ``path``; ValueError if that is impossible."""
    data = content.encode() if isinstance(content, str) else content
    with completed(path) as partial:
        partial.write_bytes(data)
