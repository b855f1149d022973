# SPDX-License-Identifier: Apache-2.0
"""The environment of a result: source content, Python version and tools."""

import hashlib
import os
import platform
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from xymac.host.errors import InputError

__all__ = ["ROOT", "Environment", "WorkerError", "check_worker", "describe_sources",
           "digest_sources", "place", "run_checked"]

ROOT     = Path(__file__).resolve().parents[2]
_FOLDERS = ("boards", "docs", "golden", "hdl", "host", "sim", "tests", "xymac")
_FILES   = ("CHANGELOG.md", "Makefile", "README.md", "pyproject.toml", "setup.py")


class WorkerError(InputError):
    """A worker with a different environment."""


@dataclass(frozen=True)
class Environment:
    """Environment that must be equal on every worker.

    Parameters
    ----------
    sources : str, digest over the project's files
    python : str, Python version
    tools : tuple of (name, version) str pairs: tools that the work runs
    """

    sources: str
    python:  str
    tools:   tuple = ()

    @property
    def versions(self):
        """All versions as a str dict by name."""
        return {"sources": self.sources, "python": self.python, **dict(self.tools)}

    def differences(self, other):
        """Differences between ``other`` and this environment, a str list."""
        there = other.versions
        return [f"{name} {there.get(name, 'missing')}, here {here}"
                for name, here in self.versions.items() if there.get(name) != here]


def describe_sources(*tools, root=ROOT):
    """This process's Environment with ``tools``, (name, version) pairs."""
    return Environment(digest_sources(root), platform.python_version(), tools)


def place():
    """Name of this computer and process."""
    return f"{platform.node()}:{os.getpid()}"


def check_worker(where, expected, actual):
    """Raise WorkerError with the differences between a worker's Environment and the expected ones.
    """
    differences = expected.differences(actual)
    if differences:
        raise WorkerError(f"Worker {where} is not as this computer: {'; '.join(differences)}")


def run_checked(expected, describe, function, *arguments):
    """``function(*arguments)`` where ``describe()`` gives the ``expected`` Environment, else a
    WorkerError."""
    check_worker(place(), expected, describe())
    return function(*arguments)


def digest_sources(root, places=(*_FILES, *_FOLDERS)):
    """Digest over the project's files in ``root`` (Path), 16 hexadecimal digits.

    ``places`` are files and folders, str relative to ``root``; a missing place counts as empty.
    """
    return _digest(root, tuple(_list_files(root, places)))


def _list_files(root, places):
    """(path, modification time, size) for all source files in ``places``, paths as str."""
    for name in places:
        if (root / name).is_file():
            yield _describe(os.path.join(root, name))
    for folder in places:
        for where, folders, names in os.walk(root / folder):
            folders[:] = sorted(filter(_counts, folders))
            for name in sorted(filter(_counts, names)):
                yield _describe(os.path.join(where, name))


def _counts(name):
    """Whether a file or folder name belongs to the sources."""
    return not name.startswith((".", "__pycache__"))


def _describe(path):
    stat = os.stat(path)
    return path, stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=256)
def _digest(root, files):
    digest = hashlib.sha256()
    for path, *_ in files:
        data = Path(path).read_bytes()
        name = Path(path).relative_to(root).as_posix()
        digest.update(f"{name}:{len(data)}:".encode() + data)
    return digest.hexdigest()[:16]
