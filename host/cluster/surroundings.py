"""What a result depends on beside its piece: the sources by content, Python and the tools."""

import hashlib
import os
import platform
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from host.errors import InputError

__all__ = ["ROOT", "Surroundings", "WorkerError", "check_worker", "describe_sources", "place",
           "run_checked"]

ROOT     = Path(__file__).resolve().parents[2]
_FOLDERS = ("boards", "docs", "golden", "hdl", "host", "sim", "tests")
_FILES   = ("CHANGELOG.md", "Makefile", "README.md", "pyproject.toml", "xymac.py")


class WorkerError(InputError):
    """A worker whose results would be those of something else."""


@dataclass(frozen=True)
class Surroundings:
    """What must be the same on every worker.

    Parameters
    ----------
    sources : str, a digest of the files of the project
    python : str, its version
    tools : tuple of (name, version), each a str: what the work runs
    """

    sources: str
    python:  str
    tools:   tuple = ()

    @property
    def versions(self):
        """All of it as a dict of str by name."""
        return {"sources": self.sources, "python": self.python, **dict(self.tools)}

    def differences(self, other):
        """How ``other`` differs from this, a list of str."""
        there = other.versions
        return [f"{name} {there.get(name, 'missing')}, here {here}"
                for name, here in self.versions.items() if there.get(name) != here]


def describe_sources(*tools, root=ROOT):
    """The Surroundings of this process, with ``tools``, pairs of name and version."""
    return Surroundings(digest_sources(root), platform.python_version(), tools)


def place():
    """Name of this computer and process."""
    return f"{platform.node()}:{os.getpid()}"


def check_worker(where, expected, actual):
    """WorkerError naming how the Surroundings of a worker differ from those expected."""
    differences = expected.differences(actual)
    if differences:
        raise WorkerError(f"Worker {where} is not as this computer: {'; '.join(differences)}")


def run_checked(expected, describe, function, *arguments):
    """``function(*arguments)`` where ``describe()`` gives the ``expected`` Surroundings, else a
    WorkerError."""
    check_worker(place(), expected, describe())
    return function(*arguments)


def digest_sources(root):
    """Digest of the files of the project in ``root`` (Path), 16 hexadecimal digits."""
    return _digest(root, tuple(_list_files(root)))


def _list_files(root):
    """(path, time of the last change, size) of all files that count, paths as str."""
    for name in _FILES:
        if (root / name).is_file():
            yield _describe(os.path.join(root, name))
    for folder in _FOLDERS:
        for where, folders, names in os.walk(root / folder):
            folders[:] = sorted(filter(_counts, folders))
            for name in sorted(filter(_counts, names)):
                yield _describe(os.path.join(where, name))


def _counts(name):
    """Whether a file or folder is one of the sources."""
    return not name.startswith((".", "__pycache__"))


def _describe(path):
    stat = os.stat(path)
    return path, stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=2)
def _digest(root, files):
    digest = hashlib.sha256()
    for path, *_ in files:
        data = Path(path).read_bytes()
        name = Path(path).relative_to(root).as_posix()
        digest.update(f"{name}:{len(data)}:".encode() + data)
    return digest.hexdigest()[:16]
