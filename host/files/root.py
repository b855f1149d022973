# SPDX-License-Identifier: Apache-2.0
"""The folder for simulators and netlists, which take minutes to build."""

import os
from pathlib import Path

__all__ = ["build_root"]


def build_root():
    """Return the folder for all builds: ``build`` beside the sources, else the user's cache."""
    project = Path(__file__).resolve().parents[2]
    if (project / "pyproject.toml").exists() and os.access(project, os.W_OK):
        return project / "build"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "xymac"
