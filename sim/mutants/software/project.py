# SPDX-License-Identifier: Apache-2.0
"""A source tree: its sources, its tests, and its record folder."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from xymac.host.errors import InputError

__all__ = ["PACKAGES", "TESTS", "Project", "digest"]

PACKAGES = ("golden", "host/ir", "host/lower", "host/plan")
TESTS    = ("tests/golden", "tests/host/cycles", "tests/host/ir", "tests/host/lower",
            "tests/host/plan", "tests/host/tflite")


def digest(data):
    """Short hash of bytes."""
    return hashlib.sha256(data).hexdigest()[:16]


@dataclass(frozen=True)
class Project:
    """A source tree.

    Parameters
    ----------
    root : Path, absolute
    packages, tests : tuple of str, folders or files below the root
    vectors : str, folder below the root, closed to tests
    build : str, folder below the root
    """

    root:     Path
    packages: tuple = PACKAGES
    tests:    tuple = TESTS
    vectors:  str   = "tests/vectors"
    build:    str   = "build/mutants/software"

    @cached_property
    def sources(self):
        """All source paths below the root, a list of str; InputError if there are none."""
        return self._files(self.packages, "*.py")

    @cached_property
    def test_files(self):
        """All test file paths below the root, a list of str; InputError if there are none."""
        return self._files(self.tests, "test_*.py")

    @property
    def folder(self):
        """Where records and results are kept, a Path."""
        return self.root / self.build

    def text(self, file):
        """A file's text."""
        return (self.root / file).read_text(encoding="utf-8")

    def hash_of(self, file):
        """A file's short hash; empty if there is none."""
        path = self.root / file
        return digest(path.read_bytes()) if path.is_file() else ""

    def name_of(self, path):
        """Path below the root for an absolute path, or None."""
        prefix = f"{self.root}/"
        return str(path)[len(prefix):] if str(path).startswith(prefix) else None

    def _files(self, places, pattern):
        names = []
        for place in places:
            path  = self.root / place
            found = [path] if path.is_file() else sorted(path.rglob(pattern))
            if not found:
                raise InputError(f"There is no {pattern} in {path}")
            names += [each.relative_to(self.root).as_posix() for each in found]
        return list(dict.fromkeys(names))
