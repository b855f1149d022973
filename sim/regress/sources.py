"""What a result depends on beside its piece: the sources by content, Python and Verilator."""

import hashlib
import platform
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

from sim.build.verilator import ToolError, find_toolchain

__all__ = ["ROOT", "Surroundings", "describe_surroundings"]

ROOT     = Path(__file__).resolve().parents[2]
_FOLDERS = ("boards", "docs", "golden", "hdl", "host", "sim", "tests")
_FILES   = ("CHANGELOG.md", "Makefile", "README.md", "pyproject.toml", "xymac.py")


@dataclass(frozen=True)
class Surroundings:
    """What must be the same on every worker.

    Parameters
    ----------
    sources : str, a digest of the files of the project
    python : str, its version
    verilator : str, the versions of the simulator; or why there is none
    """

    sources:   str
    python:    str
    verilator: str

    def differences(self, other):
        """How ``other`` differs from this, a list of str."""
        return [f"{field.name} {there}, here {here}" for field in fields(self)
                if (here := getattr(self, field.name)) != (there := getattr(other, field.name))]


def describe_surroundings(root=ROOT):
    """The Surroundings of this process."""
    return Surroundings(digest_sources(root), platform.python_version(), _verilator())


def digest_sources(root):
    """Digest of the files of the project in ``root`` (Path), 16 hexadecimal digits."""
    return _digest(root, tuple(_list_files(root)))


def _list_files(root):
    """(path, time of the last change, size) of all files that count."""
    paths = [path for folder in _FOLDERS for path in (root / folder).rglob("*")]
    for path in sorted([*paths, *map(root.joinpath, _FILES)]):
        hidden = any(part.startswith((".", "__pycache__")) for part in path.relative_to(root).parts)
        if not hidden and path.is_file():
            stat = path.stat()
            yield path, stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=2)
def _digest(root, files):
    digest = hashlib.sha256()
    for path, *_ in files:
        data = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}:{len(data)}:".encode() + data)
    return digest.hexdigest()[:16]


def _verilator():
    """Name and version of the simulator, without that of the compiler, which a machine chooses."""
    try:
        return find_toolchain().version.partition(",")[0]
    except ToolError as error:
        return f"missing: {error}"
