# SPDX-License-Identifier: Apache-2.0
"""A copy of the tree for pip, and pip itself."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.support.modules import PACKAGES, ROOT

__all__ = ["copy_tree", "pip", "run"]

#: The end of pip's output without a connection to the packages that a build needs.
OFFLINE = ("No matching distribution", "NewConnectionError", "ConnectTimeout")


def copy_tree(folder):
    """Copy the files that a build reads to ``folder`` (Path), which exists; returns it."""
    for name in ("pyproject.toml", "README.md", "LICENSE", "setup.py"):
        shutil.copy(ROOT / name, folder)
    for name in (*PACKAGES, "xymac"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def run(*command, cwd, path=""):
    """Exit code of a process, and its output; ``path`` is its PYTHONPATH."""
    done = subprocess.run([*map(str, command)], cwd=cwd, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": str(path)}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def pip(*arguments, cwd):
    """The output of the pip beside this environment's Python; skip without pip or a network."""
    python = getattr(sys, "_base_executable", sys.executable)
    code, printed = run(python, "-m", "pip", "--disable-pip-version-check", *arguments, cwd=cwd)
    if "No module named pip" in printed or any(words in printed for words in OFFLINE):
        pytest.skip(f"pip cannot build here: {printed.splitlines()[-1]}")
    assert code == 0, printed
    return printed
